// Questions to the client that made a call: its person, its model, its folders (tp.ask/1).
//
//   struct Name {
//     std::string name;
//     TOOLPOST_FIELDS(Name, TOOLPOST_FIELD(name, "Your name"))
//   };
//   std::string hello(toolpost::Context& call) {
//     const auto answer = call.elicit<Name>("user_name", "What is your name?");
//     return answer ? "Hello, " + answer->name + "!" : "Hello, stranger!";
//   }
//
// Nothing waits. Where the answer is not there yet, elicit() ends the function by an exception of
// its own, the host asks, and the function runs again from its beginning, now with the answer. So
// what stands before a question runs again: ask first, then act, or keep() what was done.
#pragma once

#include <concepts>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolpost/detail/fields.hpp"
#include "toolpost/ext/ask.h"

namespace toolpost {
inline namespace v1 {

enum class Action { accept, decline, cancel };
TOOLPOST_ENUM(Action, TOOLPOST_VALUE(accept), TOOLPOST_VALUE(decline), TOOLPOST_VALUE(cancel))

// A form that a person saw: a T where it was accepted.
template <class T>
struct Elicited {
  Action action = Action::cancel;
  std::optional<T> content = {};
  Json raw = {"{}"};  // the content as it came; {} where there is none

  explicit operator bool() const { return content.has_value(); }
  const T& operator*() const { return *content; }
  const T* operator->() const { return &*content; }
};

// What to ask the client's model.
struct Sampling {
  std::string prompt = {};  // one message of the user
  int max_tokens = 1000;
  std::string system_prompt = {};
  std::optional<double> temperature = {};
  Json messages = {""};  // in the place of prompt: a list of MCP's SamplingMessage
  Json more = {""};      // an object of further params, like tools or modelPreferences
};

struct Sampled {
  std::string role = {};
  std::string model = {};
  std::string text = {};  // of the content where that is text, else empty
  Json content = {};      // one block or a list of them
  std::string stop_reason = {};
};

struct Root {
  std::string uri = {};
  std::optional<std::string> name = {};
  TOOLPOST_FIELDS(Root, TOOLPOST_FIELD(uri), TOOLPOST_FIELD(name))
};

// The client cannot be asked this. Left alone it ends the call, and the client is told which
// ability it lacks.
class Unanswerable : public std::exception {
 public:
  const char* what() const noexcept override { return "the client cannot be asked this"; }
};

namespace detail {

// Ends a function whose answers are not there yet. No std::exception: nobody should catch it.
struct Asked {};

inline std::string form_params(std::string_view message, std::string_view schema) {
  std::string out = R"({"mode":"form","message":)";
  write_string(out, message);
  return out.append(R"(,"requestedSchema":)").append(schema) + "}";
}

inline std::string url_params(std::string_view message, std::string_view url) {
  std::string out = R"({"mode":"url","message":)";
  write_string(out, message);
  out += R"(,"url":)";
  write_string(out, url);
  return out + "}";
}

inline std::string sampling_params(const Sampling& what) {
  std::string out = R"({"messages":)";
  if (what.messages.text.empty()) {
    out += R"([{"role":"user","content":{"type":"text","text":)";
    write_string(out, what.prompt);
    out += "}}]";
  } else {
    out += what.messages.text;
  }
  out += R"(,"maxTokens":)" + std::to_string(what.max_tokens);
  if (!what.system_prompt.empty()) {
    out += R"(,"systemPrompt":)";
    write_string(out, what.system_prompt);
  }
  if (what.temperature) {
    out += R"(,"temperature":)";
    write_number(out, *what.temperature);
  }
  if (!what.more.text.empty()) {
    Reader more(what.more.text, "more");
    more.object([&](std::string_view key) {
      out += ',';
      write_string(out, key);
      out.append(1, ':').append(more.any());
    });
  }
  return out + "}";
}

template <class T>
Elicited<T> read_elicited(std::string_view text) {
  Elicited<T> answer;
  Reader in(text, "answer");
  in.object([&](std::string_view key) {
    if (key == "action") {
      Codec<Action>::read(in, answer.action);
    } else if (key == "content") {
      answer.raw.text = in.any();
    } else {
      in.any();
    }
  });
  if (answer.raw.text == "null") answer.raw.text = "{}";
  if (answer.action != Action::accept) return answer;
  if constexpr (std::same_as<T, Json>) {
    answer.content = answer.raw;
  } else {
    answer.content = read_object<T>(answer.raw.text, "answer");
  }
  return answer;
}

inline std::string text_of_block(std::string_view block) {
  std::string text;
  if (!block.starts_with('{')) return text;
  Reader in(block, "answer");
  in.object([&](std::string_view key) {
    if (key == "text") {
      text = in.string();
    } else {
      in.any();
    }
  });
  return text;
}

inline Sampled read_sampled(std::string_view text) {
  Sampled answer;
  Reader in(text, "answer");
  in.object([&](std::string_view key) {
    if (key == "role") {
      answer.role = in.string();
    } else if (key == "model") {
      answer.model = in.string();
    } else if (key == "stopReason" && !in.null()) {
      answer.stop_reason = in.string();
    } else if (key == "content") {
      answer.content.text = in.any();
    } else if (key != "stopReason") {
      in.any();
    }
  });
  answer.text = text_of_block(answer.content.text);
  return answer;
}

inline std::vector<Root> read_roots(std::string_view text) {
  std::vector<Root> roots;
  Reader in(text, "answer");
  in.object([&](std::string_view key) {
    if (key == "roots") {
      Codec<std::vector<Root>>::read(in, roots);
    } else {
      in.any();
    }
  });
  return roots;
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
