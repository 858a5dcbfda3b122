// `converted` adds a result converter to one tool. Use a converter if one tool needs a different
// result for a type than other tools, or if another library defines the type. To convert a type for
// all tools, overload to_result(const T&) and use no converter.
//
// For example, a tool with the function converted(find, as_table) calls find(), and returns what
// as_table() makes of the result.
//
// A tool with a converter returns the converter's result. The tool's output schema describes the
// result of the converter. `function` can itself be converted: converted(converted(find, as_table),
// as_page).
#pragma once

#include <type_traits>
#include <utility>

namespace toolpost {
inline namespace v1 {

template <class Function, class Converter>
struct Converted {
  Function function;
  Converter converter;
};

// `function` is a function of a tool that returns a value. `function` can be a coroutine, but it
// cannot take a Pending. `converter` gets the return value of `function` by const reference, and
// returns any type that a tool may return. Several threads can run `converter` at the same time. If
// `converter` throws, the call ends as if `function` had thrown.
template <class Function, class Converter>
Converted<Function, Converter> converted(Function function, Converter converter) {
  return {std::move(function), std::move(converter)};
}

namespace detail {

template <class F>
const F& function_in(const F& function) {
  return function;
}
template <class F, class C>
const auto& function_in(const Converted<F, C>& both) {
  return function_in(both.function);
}

// Returned is the type of the tool's result, after all converters. `T` is the type of the
// function's result.
template <class F, class T>
struct Returned {
  using type = T;
};
template <class F, class C, class T>
struct Returned<Converted<F, C>, T> {
  static_assert(!std::is_void_v<T>, "toolpost: a converter needs a function that returns a value");
  using Own = typename Returned<F, T>::type;
  static_assert(std::is_invocable_v<const C&, const Own&>,
                "toolpost: a converter takes the result of its function by const reference");
  using type = std::remove_cvref_t<std::invoke_result_t<const C&, const Own&>>;
  static_assert(!std::is_void_v<type>, "toolpost: a converter returns the result of the tool");
};

// Calls `use` with the result of the tool for `value`, which the tool's function has returned. A
// converter can return a view into its argument, so `use` runs while the argument exists.
template <class F, class T, class Use>
void with_returned(const F&, const T& value, const Use& use) {
  use(value);
}
template <class F, class C, class T, class Use>
void with_returned(const Converted<F, C>& both, const T& value, const Use& use) {
  with_returned(both.function, value, [&](const auto& own) { use(both.converter(own)); });
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
