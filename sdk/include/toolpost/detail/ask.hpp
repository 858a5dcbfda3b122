// Lets a tool ask the client that made the call: the client's user, its model, or the client itself
// for its folders (tp.ask/1).
//
// For example, call.elicit<Name>("user_name", "What is your name?") shows the user a form with the
// fields of the struct Name.
//
// elicit() does not wait. If there is no answer yet, elicit() ends the tool's function with an
// exception, and the host asks the client. When the client has answered, the host runs the function
// again from its beginning, with the answer. Code before a question runs again in each run of the
// function, so ask first and then act, or use keep() to record the finished steps.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "toolpost/detail/fields.hpp"
#include "toolpost/ext/ask.h"

namespace toolpost {
inline namespace v1 {

enum class Action { accept, decline, cancel };
TOOLPOST_ENUM(Action, TOOLPOST_VALUE(accept), TOOLPOST_VALUE(decline), TOOLPOST_VALUE(cancel))

// Elicited is a form that a user has answered. `content` contains a T if the user accepted the
// form.
template <class T>
struct Elicited {
  Action action = Action::cancel;
  std::optional<T> content = {};
  Json raw = {"{}"};  // the form's content as the client sent it; {} if there is none

  explicit operator bool() const { return content.has_value(); }
  const T& operator*() const { return *content; }
  const T* operator->() const { return &*content; }
};

// Sampling is a question to the client's model.
struct Sampling {
  std::string prompt = {};  // the prompt, sent as one message of the user
  int max_tokens = 1000;
  std::string system_prompt = {};
  std::optional<double> temperature = {};
  Json messages = {""};  // a list of MCP's SamplingMessage, instead of `prompt`
  Json more = {""};      // an object of further params, like tools or modelPreferences
};

struct Sampled {
  std::string role = {};
  std::string model = {};
  std::string text = {};  // the answer's content if it is a text; otherwise empty
  Json content = {};      // the answer: one content block of MCP, or a list of blocks
  std::string stop_reason = {};
};

struct Root {
  std::string uri = {};
  std::optional<std::string> name = {};
  TOOLPOST_FIELDS(Root, TOOLPOST_FIELD(uri), TOOLPOST_FIELD(name))
};

// Unanswerable is thrown if the client does not support a question. If you do not catch the
// exception, the call ends, and the host tells the client which capability the client lacks.
class Unanswerable : public std::exception {
 public:
  const char* what() const noexcept override { return "the client cannot be asked this"; }
};

namespace detail {

// Asked is thrown to end a tool's function while its questions have no answers yet. Asked is not a
// std::exception, because no code should catch it.
struct Asked {};

std::string form_params(std::string_view message, std::string_view schema);
std::string url_params(std::string_view message, std::string_view url);
std::string sampling_params(const Sampling& what);
// Reads an answer. If an accepted form has no content, the function sets {} as the content.
Elicited<Json> read_elicited(std::string_view text);
Sampled read_sampled(std::string_view text);
std::vector<Root> read_roots(std::string_view text);

template <class T>
Elicited<T> read_form(Elicited<Json> answer) {
  if constexpr (std::is_same_v<T, Json>) {
    return answer;
  } else {
    Elicited<T> form{answer.action, {}, std::move(answer.raw)};
    if (form.action == Action::accept) form.content = read_object<T>(form.raw.text, "answer");
    return form;
  }
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/ask.ipp"
#endif
