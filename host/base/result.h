// A Result<T> has a value or one Error. The members of Result have the names of the members of
// std::expected, which C++20 lacks.
//
// Use Result for failures from outside: input, files, network, plugins, users. Use assertions for
// bugs of the host. Use exceptions for failures that no caller handles. The outermost function of
// each thread catches all exceptions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace host {

// The kind of an Error tells callers how to react. Two kinds of Errors differ only if callers react
// to them in different ways.
enum class ErrorKind {
  InvalidArgument,   // the request is wrong; a repetition will not help
  NotFound,          // the object does not exist, or this caller is not allowed to see it
  Denied,            // a rule, a mode or a reviewer denied the request
  Cancelled,         // the caller cancelled the request
  DeadlineExceeded,  // the request did not finish in time
  Unavailable,       // something is busy or unreachable: try again later
  PluginFault,       // the plugin broke its contract or its process died
  Io,                // a file, a socket or a process could not be used
  Internal,          // the host itself has a fault
};

std::string_view to_string(ErrorKind kind);

struct Error {
  ErrorKind kind = ErrorKind::Internal;
  std::string message;  // names the object and the remedy; begins in lower case; no secrets

  // Returns a copy of the Error with context from the caller in its message: `context: message`.
  Error within(std::string_view context) const {
    return Error{kind, std::string(context) + ": " + message};
  }
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  // If the Result has an Error, value() throws. If the Result has a value, error() throws. Calling
  // value() or error() in the wrong case is a bug of the caller.
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const noexcept { return !error_; }
  explicit operator bool() const noexcept { return has_value(); }
  Error& error() & { return error_.value(); }
  const Error& error() const& { return error_.value(); }
  Error&& error() && { return std::move(error_).value(); }

 private:
  std::optional<Error> error_;
};

}  // namespace host

#define HOST_CONCAT_INNER(a, b) a##b
#define HOST_CONCAT(a, b) HOST_CONCAT_INNER(a, b)

// HOST_TRY(expression) returns the error of a failed Result from the enclosing function.
#define HOST_TRY(...)                                                       \
  do {                                                                      \
    auto host_result = (__VA_ARGS__);                                       \
    if (!host_result) return ::host::Error(std::move(host_result).error()); \
  } while (false)

// HOST_TRY_ASSIGN(const auto x, expression) declares x with the value of a Result, or returns the
// error of the Result from the enclosing function.
#define HOST_TRY_ASSIGN(declaration, ...) \
  HOST_TRY_ASSIGN_INNER(HOST_CONCAT(host_result_, __LINE__), declaration, __VA_ARGS__)
#define HOST_TRY_ASSIGN_INNER(result, declaration, ...)         \
  auto result = __VA_ARGS__;                                    \
  if (!result) return ::host::Error(std::move(result).error()); \
  declaration = *std::move(result)

// HOST_CO_TRY and HOST_CO_TRY_ASSIGN are the forms of HOST_TRY and HOST_TRY_ASSIGN for coroutines.
// The compiler g++ 12 miscompiles a co_await inside a condition, so the awaited expression is
// always the whole initialiser of a named variable.
#define HOST_CO_TRY(...) HOST_CO_TRY_INNER(HOST_CONCAT(host_result_, __LINE__), __VA_ARGS__)
#define HOST_CO_TRY_INNER(result, ...) \
  auto result = __VA_ARGS__;           \
  if (!result) co_return ::host::Error(std::move(result).error())

#define HOST_CO_TRY_ASSIGN(declaration, ...) \
  HOST_CO_TRY_ASSIGN_INNER(HOST_CONCAT(host_result_, __LINE__), declaration, __VA_ARGS__)
#define HOST_CO_TRY_ASSIGN_INNER(result, declaration, ...)         \
  auto result = __VA_ARGS__;                                       \
  if (!result) co_return ::host::Error(std::move(result).error()); \
  declaration = *std::move(result)
