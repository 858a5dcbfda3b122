// kv.hpp reads and writes a plugin's own storage (tp.kv/1), for the plugin or for the call's
// session. The storage survives restarts.
//
//   std::uint64_t count(toolpost::Context& call) {
//     for (;;) {  // repeats if another call has written meanwhile
//       const auto old = call.kv().get("count");
//       const auto next = old ? std::stoull(old->value) + 1 : 1;
//       if (call.kv().try_set("count", std::to_string(next), old ? old->version : 0)) return next;
//     }
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolpost/detail/fields.hpp"
#include "toolpost/detail/reply.hpp"
#include "toolpost/ext/kv.h"

namespace toolpost {
inline namespace v1 {

struct KvEntry {
  std::uint64_t version = 0;
  std::string value = {};
};

struct KvKey {
  std::string key;
  std::uint64_t version;
  std::uint64_t bytes;
  TOOLPOST_FIELDS(KvKey, TOOLPOST_FIELD(key), TOOLPOST_FIELD(version), TOOLPOST_FIELD(bytes))
};

struct KvPage {
  std::vector<KvKey> keys = {};
  bool more = false;  // true: there are more keys; continue after the last key
};

// A Kv can be copied cheaply. A Kv is valid as long as the Host or Context that returned it.
// Functions of Kv without an OnAnswer wait for the host. The functions of Kv that wait throw
// ServiceError, or Cancelled if the call has ended. Call the functions of Kv that wait on any
// thread that may wait.
class Kv {
 public:
  Kv(const tp_kv_api* api, tp_host* host, const tp_call* call, std::uint32_t scope)
      : api_(api), host_(host), call_(call), scope_(scope) {}

  std::optional<KvEntry> get(std::string_view key) const;
  // Writes the value, whatever the current version of the key's value is. Returns the new version.
  std::uint64_t set(std::string_view key, std::string_view value) const;
  // try_set() writes the value only if the key's version is still `expected`. If `expected` is 0,
  // the function writes only if the key has no value. Returns the new version. Returns nullopt, and
  // writes nothing, if the key has a different version.
  std::optional<std::uint64_t> try_set(std::string_view key, std::string_view value,
                                       std::uint64_t expected) const;
  // Removes a key. Returns false if the key had no value.
  bool remove(std::string_view key) const;
  // Removes a key only if its version is `expected`. Returns false, and removes nothing, if the key
  // has a different version.
  bool try_remove(std::string_view key, std::uint64_t expected) const;
  KvPage list(std::string_view prefix = {}, std::string_view after = {},
              std::uint32_t limit = 1000) const;

  // The functions below do the same as get(), set() and remove() above, but do not wait. `then`
  // gets the answer of the host. ext/kv.h describes the form of the answer.
  void get(std::string_view key, OnAnswer then) const;
  void set(std::string_view key, std::string_view value, std::uint64_t expected,
           OnAnswer then) const;
  void remove(std::string_view key, std::uint64_t expected, OnAnswer then) const;

 private:
  tp_status ask_get(std::string_view key, const tp_reply* reply) const;
  tp_status ask_set(std::string_view key, std::string_view value, std::uint64_t expected,
                    const tp_reply* reply) const;
  tp_status ask_remove(std::string_view key, std::uint64_t expected, const tp_reply* reply) const;
  static std::optional<std::uint64_t> unless_conflict(const ServiceAnswer& answer);

  const tp_kv_api* api_;
  tp_host* host_;
  const tp_call* call_;
  std::uint32_t scope_;
};

}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/kv.ipp"
#endif
