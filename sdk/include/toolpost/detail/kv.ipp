// The bodies of kv.hpp.
#pragma once

#include "toolpost/detail/kv.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

TOOLPOST_INLINE tp_str borrowed(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace detail

TOOLPOST_INLINE tp_status Kv::ask_get(std::string_view key, const tp_reply* reply) const {
  if (api_ == nullptr) return TP_E_UNSUPPORTED;
  return api_->get(host_, call_, scope_, detail::borrowed(key), reply);
}

TOOLPOST_INLINE tp_status Kv::ask_set(std::string_view key, std::string_view value,
                                      std::uint64_t expected, const tp_reply* reply) const {
  if (api_ == nullptr) return TP_E_UNSUPPORTED;
  return api_->set(host_, call_, scope_, detail::borrowed(key), detail::borrowed(value), expected,
                   reply);
}

TOOLPOST_INLINE tp_status Kv::ask_remove(std::string_view key, std::uint64_t expected,
                                         const tp_reply* reply) const {
  if (api_ == nullptr) return TP_E_UNSUPPORTED;
  return api_->remove(host_, call_, scope_, detail::borrowed(key), expected, reply);
}

TOOLPOST_INLINE std::optional<KvEntry> Kv::get(std::string_view key) const {
  auto answer = detail::wait_for_good([&](const tp_reply* reply) { return ask_get(key, reply); });
  if (answer.number == 0) return std::nullopt;
  return KvEntry{answer.number, std::move(answer.bytes)};
}

TOOLPOST_INLINE std::uint64_t Kv::set(std::string_view key, std::string_view value) const {
  return detail::wait_for_good(
             [&](const tp_reply* reply) { return ask_set(key, value, TP_KV_ANY, reply); })
      .number;
}

TOOLPOST_INLINE std::optional<std::uint64_t> Kv::try_set(std::string_view key,
                                                         std::string_view value,
                                                         std::uint64_t expected) const {
  return unless_conflict(detail::wait_for(
      [&](const tp_reply* reply) { return ask_set(key, value, expected, reply); }));
}

TOOLPOST_INLINE bool Kv::remove(std::string_view key) const {
  return detail::wait_for_good([&](const tp_reply* reply) {
           return ask_remove(key, TP_KV_ANY, reply);
         }).number != 0;
}

TOOLPOST_INLINE bool Kv::try_remove(std::string_view key, std::uint64_t expected) const {
  return unless_conflict(detail::wait_for([&](const tp_reply* reply) {
           return ask_remove(key, expected, reply);
         }))
      .has_value();
}

TOOLPOST_INLINE KvPage Kv::list(std::string_view prefix, std::string_view after,
                                std::uint32_t limit) const {
  const auto answer = detail::wait_for_good([&](const tp_reply* reply) {
    if (api_ == nullptr) return tp_status{TP_E_UNSUPPORTED};
    return api_->list(host_, call_, scope_, detail::borrowed(prefix), detail::borrowed(after),
                      limit, reply);
  });
  KvPage page;
  page.more = answer.number != 0;
  detail::Reader in(answer.json, "list");
  detail::Codec<std::vector<KvKey>>::read(in, page.keys);
  return page;
}

TOOLPOST_INLINE void Kv::get(std::string_view key, OnAnswer then) const {
  detail::answer_later([&](const tp_reply* reply) { return ask_get(key, reply); }, std::move(then));
}

TOOLPOST_INLINE void Kv::set(std::string_view key, std::string_view value, std::uint64_t expected,
                             OnAnswer then) const {
  detail::answer_later([&](const tp_reply* reply) { return ask_set(key, value, expected, reply); },
                       std::move(then));
}

TOOLPOST_INLINE void Kv::remove(std::string_view key, std::uint64_t expected, OnAnswer then) const {
  detail::answer_later([&](const tp_reply* reply) { return ask_remove(key, expected, reply); },
                       std::move(then));
}

TOOLPOST_INLINE std::optional<std::uint64_t> Kv::unless_conflict(const ServiceAnswer& answer) {
  if (answer.status == TP_E_CONFLICT) return std::nullopt;
  if (answer.status == TP_E_CANCELLED) throw Cancelled();
  if (answer.status != TP_OK) throw ServiceError(answer.status, answer.bytes);
  return answer.number;
}

}  // namespace v1
}  // namespace toolpost
