// Several questions at once. One alone is asked by Context's own functions.
//
//   toolpost::Round round(call);
//   const auto name = round.elicit<Name>("user_name", "What is your name?");
//   const auto roots = round.roots("client_roots");
//   round.wait();  // ends the function here until all are answered
//   use(*name, *roots);
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolpost/detail/ask.hpp"
#include "toolpost/detail/context.hpp"

namespace toolpost {
inline namespace v1 {

class Round {
 public:
  explicit Round(const Context& call)
      : call_(call), api_(call.host().extension<tp_ask_api>(TP_EXT_ASK)) {}

  // Each gives the answer where it is there, and else adds the question. key names the question
  // among all of the call's. They throw Unanswerable where the client cannot be asked that.
  template <Described T>
  std::optional<Elicited<T>> elicit(std::string_view key, std::string_view message) {
    return read_form<T>(
        ask(key, "elicitation/create", detail::form_params(message, detail::schema_of<T>())));
  }
  // The same with a schema of MCP's requestedSchema as it is.
  std::optional<Elicited<Json>> elicit(std::string_view key, std::string_view message,
                                       const Json& schema) {
    return read_form<Json>(
        ask(key, "elicitation/create", detail::form_params(message, schema.text)));
  }
  std::optional<Action> elicit_url(std::string_view key, std::string_view message,
                                   std::string_view url) {
    const auto answer = ask(key, "elicitation/create", detail::url_params(message, url));
    if (!answer) return std::nullopt;
    return detail::read_elicited<Json>(*answer).action;
  }
  std::optional<Sampled> sample(std::string_view key, const Sampling& what) {
    const auto answer = ask(key, "sampling/createMessage", detail::sampling_params(what));
    if (!answer) return std::nullopt;
    return detail::read_sampled(*answer);
  }
  std::optional<std::vector<Root>> roots(std::string_view key) {
    const auto answer = ask(key, "roots/list", "{}");
    if (!answer) return std::nullopt;
    return detail::read_roots(*answer);
  }
  // Any method and params of tp.ask/1; the answer's JSON text, borrowed until the call ends.
  std::optional<std::string_view> ask(std::string_view key, std::string_view method,
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

  // Returns where all that was asked is answered. Else the function ends here, and runs again.
  void wait() const {
    if (open_) throw detail::Asked();
  }

 private:
  template <class T>
  static std::optional<Elicited<T>> read_form(std::optional<std::string_view> answer) {
    if (!answer) return std::nullopt;
    return detail::read_elicited<T>(*answer);
  }

  const Context& call_;
  const tp_ask_api* api_;
  bool open_ = false;
};

// ---- Context's functions for one question, declared there.

template <Described T>
Elicited<T> Context::elicit(std::string_view key, std::string_view message) const {
  Round round(*this);
  auto answer = round.elicit<T>(key, message);
  round.wait();
  return std::move(*answer);
}

inline Elicited<Json> Context::elicit(std::string_view key, std::string_view message,
                                      const Json& schema) const {
  Round round(*this);
  auto answer = round.elicit(key, message, schema);
  round.wait();
  return std::move(*answer);
}

inline Action Context::elicit_url(std::string_view key, std::string_view message,
                                  std::string_view url) const {
  Round round(*this);
  const auto answer = round.elicit_url(key, message, url);
  round.wait();
  return *answer;
}

inline Sampled Context::sample(std::string_view key, const Sampling& what) const {
  Round round(*this);
  auto answer = round.sample(key, what);
  round.wait();
  return std::move(*answer);
}

inline std::vector<Root> Context::roots(std::string_view key) const {
  Round round(*this);
  auto answer = round.roots(key);
  round.wait();
  return std::move(*answer);
}

}  // namespace v1
}  // namespace toolpost
