// interceptor.hpp defines code that runs around the calls of other plugins' tools; see
// ext/interceptor.h.
#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "toolpost/detail/callable.hpp"
#include "toolpost/detail/context.hpp"
#include "toolpost/detail/fields.hpp"
#include "toolpost/detail/json.hpp"

namespace toolpost {
inline namespace v1 {

// Intercepted describes the call around which an interceptor runs. The Context of an interceptor's
// function gives the data about the caller. The texts of Intercepted are valid until the function
// of the interceptor returns.
struct Intercepted {
  std::string_view tool = {};
  std::string_view provider = {};  // the plugin or upstream server that has the tool
  std::string_view state = {};     // in message() and leave(): the state that enter() returned
};

// A StreamedText is one text that a running tool sends to its client.
struct StreamedText {
  std::string text = {};
  std::optional<Json> fields = {};  // nullopt unless the text is a log line
  TOOLPOST_FIELDS(StreamedText, TOOLPOST_FIELD(text), TOOLPOST_FIELD(fields))
};

// CalledResult is the result of a call, as leave() gets and returns it: MCP's CallToolResult.
struct CalledResult {
  Json content = {"[]"};  // an array of content blocks
  std::optional<Json> structuredContent = {};
  bool isError = false;
  std::optional<Json> _meta = {};
  TOOLPOST_FIELDS(CalledResult, TOOLPOST_FIELD(content), TOOLPOST_FIELD(structuredContent),
                  TOOLPOST_FIELD(isError, "", defaulted), TOOLPOST_FIELD(_meta))
};

// A Verdict is the decision of before() and enter(). A default-constructed Verdict means that the
// call continues unchanged.
class Verdict {
 public:
  // Use arguments() only in before(): it changes the arguments of the call to this JSON object.
  static Verdict arguments(Json object);
  // Ends the call with this CallToolResult, without running the tool.
  static Verdict result(Json call_tool_result);
  static Verdict text_result(std::string_view text);
  // Refuses the call with this text, without running the tool.
  static Verdict refuse(std::string_view text);

  // value() adds a plain text, and entry() adds JSON, to the context of the call for plugins.
  Verdict&& value(std::string name, std::string_view text) &&;
  Verdict&& entry(std::string type, Json json) &&;
  template <Described T>
  Verdict&& entry(std::string type, const T& value) && {
    return std::move(*this).entry(std::move(type), Json{detail::json_of(value)});
  }
  // Use state() only in enter(): it sets the state (at most 16 KiB) that message() and leave() of
  // this call get.
  Verdict&& state(std::string_view text) &&;

  // Returns the answer in the form of tp.interceptor/1. The returned text is empty if nothing
  // changes.
  std::string json() const;

 private:
  std::map<std::string, std::string> members_;  // JSON texts
  std::map<std::string, std::string> values_, entries_;
};

// A JsonString is a string within a JSON value. A JsonString is the value of the member `key`, or
// the name of a member. If `key` is empty, the JsonString is an element of an array, or the whole
// value.
struct JsonString {
  std::string_view key;
  std::string_view text;
  bool is_name = false;
};
// Returns the JSON value with some of its strings replaced. `replace` returns the new string, or
// nullopt to keep the old string.
Json replace_strings(const Json& value,
                     detail::FunctionRef<std::optional<std::string>(const JsonString&)> replace);

namespace detail {

using InterceptorFunction =
    std::function<std::string(void* state, const Intercepted&, std::string_view input, Context&)>;

struct InterceptorEntry {
  InterceptorFunction before, enter, message, leave;  // null: the interceptor has no such function
  bool nonblocking = false;
  bool reads_arguments = false;  // true: before() or enter() reads the arguments

  bool any() const { return before || enter || message || leave; }
};

// `function` takes (State&, const Intercepted&, const Input&, Context&), or the same parameters
// without State&.
template <class State, class F, class... Input>
auto intercept_with(F& function, void* state, const Intercepted& of, Context& context,
                    const Input&... input) {
  if constexpr (std::invocable<F&, State&, const Intercepted&, const Input&..., Context&>) {
    return std::invoke(function, *static_cast<State*>(state), of, input..., context);
  } else {
    static_assert(std::invocable<F&, const Intercepted&, const Input&..., Context&>,
                  "toolpost: an interceptor takes (State&, const Intercepted&, input, Context&)");
    return std::invoke(function, of, input..., context);
  }
}

// reads_arguments is true if a function for before() or enter() has a parameter for the arguments.
template <class State, class F>
inline constexpr bool reads_arguments = !std::invocable<F&, State&, const Intercepted&, Context&> &&
                                        !std::invocable<F&, const Intercepted&, Context&>;

template <class State, class F>
InterceptorFunction make_verdict(F function) {
  return [function](void* state, const Intercepted& of, std::string_view input,
                    Context& context) mutable -> std::string {
    if constexpr (reads_arguments<State, F>) {
      const Json given{std::string(input)};
      const Verdict verdict = intercept_with<State>(function, state, of, context, given);
      return verdict.json();
    } else {
      const Verdict verdict = intercept_with<State>(function, state, of, context);
      return verdict.json();
    }
  };
}

template <class State, class F>
InterceptorFunction make_leave(F function) {
  return [function](void* state, const Intercepted& of, std::string_view input,
                    Context& context) mutable -> std::string {
    const auto given = read_object<CalledResult>(input, "result");
    const std::optional<CalledResult> result =
        intercept_with<State>(function, state, of, context, given);
    return result ? "{\"result\":" + json_of(*result) + "}" : std::string();
  };
}

template <class State, class F>
InterceptorFunction make_message(F function) {
  return [function](void* state, const Intercepted& of, std::string_view input,
                    Context& context) mutable -> std::string {
    const auto given = read_object<StreamedText>(input, "message");
    const std::optional<StreamedText> passed =
        intercept_with<State>(function, state, of, context, given);
    return passed ? json_of(*passed) : "null";
  };
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/interceptor.ipp"
#endif
