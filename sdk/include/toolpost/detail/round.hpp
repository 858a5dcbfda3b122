// A Round asks several questions together: call one function of Round for each question, and then
// wait(). For a single question, use the functions of Context.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "toolpost/detail/ask.hpp"
#include "toolpost/detail/context.hpp"

namespace toolpost {
inline namespace v1 {

class Round {
 public:
  explicit Round(const Context& call);

  // Each function of Round returns the answer to its question if there is an answer. If there is no
  // answer yet, the function adds its question to the Round. `key` identifies the question within
  // the call. The functions of Round throw Unanswerable if the client does not support the
  // question.
  template <Described T>
  std::optional<Elicited<T>> elicit(std::string_view key, std::string_view message) {
    auto answer = elicit(key, message, Json{detail::schema_of<T>()});
    if (!answer) return std::nullopt;
    return detail::read_form<T>(std::move(*answer));
  }
  // Does the same as elicit<T>(), with the JSON text of MCP's requestedSchema in place of a struct.
  std::optional<Elicited<Json>> elicit(std::string_view key, std::string_view message,
                                       const Json& schema);
  std::optional<Action> elicit_url(std::string_view key, std::string_view message,
                                   std::string_view url);
  std::optional<Sampled> sample(std::string_view key, const Sampling& what);
  std::optional<std::vector<Root>> roots(std::string_view key);
  // Asks a question with any method and params that tp.ask/1 allows. Returns the answer's JSON
  // text, which is valid until the call ends.
  std::optional<std::string_view> ask(std::string_view key, std::string_view method,
                                      std::string_view params);

  // wait() returns if all questions of the round are answered. If an answer is missing, wait() ends
  // the tool's function with an exception, and the host runs the function again when the answers
  // have arrived.
  void wait() const;

 private:
  const Context& call_;
  const tp_ask_api* api_;
  bool open_ = false;
};

template <Described T>
Elicited<T> Context::elicit(std::string_view key, std::string_view message) const {
  Round round(*this);
  auto answer = round.elicit<T>(key, message);
  round.wait();
  return std::move(*answer);
}

}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/round.ipp"
#endif
