// The bodies of round.hpp.
#pragma once

#include <stdexcept>
#include <string>

#include "toolpost/detail/round.hpp"

namespace toolpost {
inline namespace v1 {

TOOLPOST_INLINE Round::Round(const Context& call)
    : call_(call), api_(call.host().extension<tp_ask_api>(TP_EXT_ASK)) {}

TOOLPOST_INLINE std::optional<Elicited<Json>> Round::elicit(std::string_view key,
                                                            std::string_view message,
                                                            const Json& schema) {
  const auto answer = ask(key, "elicitation/create", detail::form_params(message, schema.text));
  if (!answer) return std::nullopt;
  return detail::read_elicited(*answer);
}

TOOLPOST_INLINE std::optional<Action> Round::elicit_url(std::string_view key,
                                                        std::string_view message,
                                                        std::string_view url) {
  const auto answer = ask(key, "elicitation/create", detail::url_params(message, url));
  if (!answer) return std::nullopt;
  return detail::read_elicited(*answer).action;
}

TOOLPOST_INLINE std::optional<Sampled> Round::sample(std::string_view key, const Sampling& what) {
  const auto answer = ask(key, "sampling/createMessage", detail::sampling_params(what));
  if (!answer) return std::nullopt;
  return detail::read_sampled(*answer);
}

TOOLPOST_INLINE std::optional<std::vector<Root>> Round::roots(std::string_view key) {
  const auto answer = ask(key, "roots/list", "{}");
  if (!answer) return std::nullopt;
  return detail::read_roots(*answer);
}

TOOLPOST_INLINE std::optional<std::string_view> Round::ask(std::string_view key,
                                                           std::string_view method,
                                                           std::string_view params) {
  if (api_ == nullptr) throw Unanswerable();
  const tp_str answer = api_->answer(call_.id(), detail::str(key));
  if (answer.ptr != nullptr) return detail::view(answer);
  const tp_status status =
      api_->ask(call_.id(), detail::str(key), detail::str(method), detail::str(params));
  if (status == TP_E_UNSUPPORTED) throw Unanswerable();
  if (status == TP_E_CANCELLED) throw Cancelled();
  if (status != TP_OK) {
    throw std::runtime_error("the host did not take the question \"" + std::string(key) +
                             "\": " + std::to_string(status));
  }
  open_ = true;
  return std::nullopt;
}

TOOLPOST_INLINE void Round::wait() const {
  if (open_) throw detail::Asked();
}

TOOLPOST_INLINE Elicited<Json> Context::elicit(std::string_view key, std::string_view message,
                                               const Json& schema) const {
  Round round(*this);
  auto answer = round.elicit(key, message, schema);
  round.wait();
  return std::move(*answer);
}

TOOLPOST_INLINE Action Context::elicit_url(std::string_view key, std::string_view message,
                                           std::string_view url) const {
  Round round(*this);
  const auto answer = round.elicit_url(key, message, url);
  round.wait();
  return *answer;
}

TOOLPOST_INLINE Sampled Context::sample(std::string_view key, const Sampling& what) const {
  Round round(*this);
  auto answer = round.sample(key, what);
  round.wait();
  return std::move(*answer);
}

TOOLPOST_INLINE std::vector<Root> Context::roots(std::string_view key) const {
  Round round(*this);
  auto answer = round.roots(key);
  round.wait();
  return std::move(*answer);
}

}  // namespace v1
}  // namespace toolpost
