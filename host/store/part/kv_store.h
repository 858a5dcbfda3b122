// Stores the keys and values of plugins in spaces that are isolated from each other, with versions
// and a quota. Every function blocks. Only one thread at a time may use the store. Once a function
// has returned, its changes survive the end of the process.
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

// A KvSpace is a set of keys that is separate from all other spaces. If `session` is empty, the
// space belongs to the whole plugin.
struct KvSpace {
  std::string plugin;
  std::string session;
};

struct KvQuota {  // the quota of one plugin, including its sessions
  std::uint64_t bytes = 64u << 20u;
  std::uint64_t keys = 10'000;
};

// The caller of a write passes the version that it expects the key to have: a version that was
// read, kAnyVersion or kNoVersion.
constexpr std::uint64_t kAnyVersion = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kNoVersion = 0;  // means that the key does not exist

struct KvValue {
  std::uint64_t version = kNoVersion;  // kNoVersion: the key does not exist
  std::string bytes;
};

struct KvWrite {
  enum class Outcome { Done, Conflict, Full };
  Outcome outcome = Outcome::Done;
  // After set(), `version` is the new version. After remove(), `version` is the version of the
  // removed key. After a Conflict, `version` is the key's current version.
  std::uint64_t version = kNoVersion;
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
  // The version of a new value is larger than the versions of all earlier values in the plugin's
  // spaces, including removed keys.
  virtual Result<KvWrite> set(const KvSpace& space, std::string_view key, std::string_view bytes,
                              std::uint64_t expected, const KvQuota& quota) = 0;
  virtual Result<KvWrite> remove(const KvSpace& space, std::string_view key,
                                 std::uint64_t expected) = 0;
  // Lists the keys that begin with `prefix` and follow `after`, in the order of their bytes.
  virtual Result<KvPage> list(const KvSpace& space, std::string_view prefix, std::string_view after,
                              std::uint32_t limit) = 0;
  // Removes the keys of all sessions that were last written before `then`. Returns the number of
  // removed keys.
  virtual Result<std::uint64_t> forget_sessions(WallTime then) = 0;
};

}  // namespace host::store
