// A plugin's own storage (tp.kv/1): kept over restarts, for the plugin or for the call's session.
//
//   std::uint64_t count(toolpost::Context& call) {
//     for (;;) {  // two calls at once lose no count
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
  bool more = false;  // go on after the last of them
};

// A small value, as good as the Host or Context that it came from. Functions without an OnAnswer
// wait; they throw ServiceError, and Cancelled where the call is over. Any thread that may wait.
class Kv {
  // First: what is deduced must stand before its use.
  static tp_str str(std::string_view text) { return {text.data(), text.size()}; }

  auto asks_get(std::string_view key) const {
    return [*this, key](const tp_reply* reply) -> tp_status {
      if (api_ == nullptr) return TP_E_UNSUPPORTED;
      return api_->get(host_, call_, scope_, str(key), reply);
    };
  }
  auto asks_set(std::string_view key, std::string_view value, std::uint64_t expected) const {
    return [*this, key, value, expected](const tp_reply* reply) -> tp_status {
      if (api_ == nullptr) return TP_E_UNSUPPORTED;
      return api_->set(host_, call_, scope_, str(key), str(value), expected, reply);
    };
  }
  auto asks_remove(std::string_view key, std::uint64_t expected) const {
    return [*this, key, expected](const tp_reply* reply) -> tp_status {
      if (api_ == nullptr) return TP_E_UNSUPPORTED;
      return api_->remove(host_, call_, scope_, str(key), expected, reply);
    };
  }

 public:
  Kv(const tp_kv_api* api, tp_host* host, const tp_call* call, std::uint32_t scope)
      : api_(api), host_(host), call_(call), scope_(scope) {}

  std::optional<KvEntry> get(std::string_view key) const {
    auto answer = detail::wait_for_good(asks_get(key));
    if (answer.number == 0) return std::nullopt;
    return KvEntry{answer.number, std::move(answer.bytes)};
  }
  // Writes whatever is there. Returns the new version.
  std::uint64_t set(std::string_view key, std::string_view value) const {
    return detail::wait_for_good(asks_set(key, value, TP_KV_ANY)).number;
  }
  // Writes only where the version is still `expected`, 0: where there is no such key. Nothing:
  // somebody else was first.
  std::optional<std::uint64_t> try_set(std::string_view key, std::string_view value,
                                       std::uint64_t expected) const {
    return unless_conflict(detail::wait_for(asks_set(key, value, expected)));
  }
  // False: there was none.
  bool remove(std::string_view key) const {
    return detail::wait_for_good(asks_remove(key, TP_KV_ANY)).number != 0;
  }
  // False: another version is there.
  bool try_remove(std::string_view key, std::uint64_t expected) const {
    return unless_conflict(detail::wait_for(asks_remove(key, expected))).has_value();
  }
  KvPage list(std::string_view prefix = {}, std::string_view after = {},
              std::uint32_t limit = 1000) const {
    const auto answer = detail::wait_for_good([&](const tp_reply* reply) {
      if (api_ == nullptr) return tp_status{TP_E_UNSUPPORTED};
      return api_->list(host_, call_, scope_, str(prefix), str(after), limit, reply);
    });
    KvPage page;
    page.more = answer.number != 0;
    detail::Reader in(answer.json, "list");
    detail::Codec<std::vector<KvKey>>::read(in, page.keys);
    return page;
  }

  // What they answer stands in ext/kv.h.
  void get(std::string_view key, OnAnswer then) const {
    detail::answer_later(asks_get(key), std::move(then));
  }
  void set(std::string_view key, std::string_view value, std::uint64_t expected,
           OnAnswer then) const {
    detail::answer_later(asks_set(key, value, expected), std::move(then));
  }
  void remove(std::string_view key, std::uint64_t expected, OnAnswer then) const {
    detail::answer_later(asks_remove(key, expected), std::move(then));
  }

 private:
  static std::optional<std::uint64_t> unless_conflict(const ServiceAnswer& answer) {
    if (answer.status == TP_E_CONFLICT) return std::nullopt;
    if (answer.status == TP_E_CANCELLED) throw Cancelled();
    if (answer.status != TP_OK) throw ServiceError(answer.status, answer.bytes);
    return answer.number;
  }

  const tp_kv_api* api_;
  tp_host* host_;
  const tp_call* call_;
  std::uint32_t scope_;
};

}  // namespace v1
}  // namespace toolpost
