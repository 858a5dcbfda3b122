// What plugins keep: bytes by key, in spaces that do not see each other, with versions and a quota.
// Every call blocks; one thread at a time. What was answered survives the process.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace host::store {

// Whose keys. session empty: the plugin's own.
struct KvSpace {
  std::string plugin;
  std::string session;
};

struct KvQuota {  // of one plugin, its sessions included
  std::uint64_t bytes = 64u << 20u;
  std::uint64_t keys = 10'000;
};

// What a write insists on: a version that was read, or one of these.
constexpr std::uint64_t kAnyVersion = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kNoVersion = 0;  // there is no such key

struct KvValue {
  std::uint64_t version = kNoVersion;  // kNoVersion: there is none
  std::string bytes;
};

struct KvWrite {
  enum class Outcome { Done, Conflict, Full };
  Outcome outcome = Outcome::Done;
  std::uint64_t version = kNoVersion;  // set: the new one; remove: the old; Conflict: what is there
};

struct KvKey {
  std::string key;
  std::uint64_t version = 0;
  std::uint64_t bytes = 0;
};
struct KvPage {
  std::vector<KvKey> keys;
  bool more = false;
};

class KvStore {
 public:
  virtual ~KvStore() = default;
  virtual Result<KvValue> get(const KvSpace& space, std::string_view key) = 0;
  // A version is larger than all before it of the same plugin, removed ones included.
  virtual Result<KvWrite> set(const KvSpace& space, std::string_view key, std::string_view bytes,
                              std::uint64_t expected, const KvQuota& quota) = 0;
  virtual Result<KvWrite> remove(const KvSpace& space, std::string_view key,
                                 std::uint64_t expected) = 0;
  // In the order of the keys' bytes, those after `after`.
  virtual Result<KvPage> list(const KvSpace& space, std::string_view prefix, std::string_view after,
                              std::uint32_t limit) = 0;
  // Removes the spaces of sessions that were last written to before `then`. Returns how many keys.
  virtual Result<std::uint64_t> forget_sessions(WallTime then) = 0;
};

}  // namespace host::store
