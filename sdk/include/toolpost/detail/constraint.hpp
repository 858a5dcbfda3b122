// A Constraint is a keyword that a field's schema gets in addition to `type`: TOOLPOST_FIELD(days,
// "How many", minimum(1)).
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include "toolpost/detail/json.hpp"

namespace toolpost {
inline namespace v1 {

struct Constraint {
  enum class Kind { Optional, Number, Text, Example, Description };
  Kind kind = Kind::Optional;     // Optional: the field is optional because of its initialiser
  std::string_view keyword = {};  // keyword of JSON Schema
  std::string_view text = {};     // the keyword's value, if it is a string
  double number = 0;              // the keyword's value, if it is not a string
  bool truth = false;             // true: the value is a boolean, stored in `number`

  constexpr Constraint() = default;
  constexpr Constraint(Kind what, std::string_view of, std::string_view string, double value,
                       bool is_truth)
      : kind(what), keyword(of), text(string), number(value), truth(is_truth) {}
  // The two constructors below make a description from a plain text: TOOLPOST_FIELD(days, "How
  // many").
  constexpr Constraint(const char* description)  // NOLINT
      : kind(Kind::Description), text(description) {}
  constexpr Constraint(std::string_view description)  // NOLINT
      : kind(Kind::Description), text(description) {}
};

namespace detail {
constexpr Constraint number_rule(std::string_view keyword, double value) {
  return {Constraint::Kind::Number, keyword, {}, value, false};
}
constexpr Constraint text_rule(std::string_view keyword, std::string_view value) {
  return {Constraint::Kind::Text, keyword, value, 0, false};
}
}  // namespace detail

// Constraints of numbers.
constexpr Constraint minimum(double value) {
  return detail::number_rule("minimum", value);
}
constexpr Constraint maximum(double value) {
  return detail::number_rule("maximum", value);
}
constexpr Constraint exclusive_minimum(double value) {
  return detail::number_rule("exclusiveMinimum", value);
}
constexpr Constraint exclusive_maximum(double value) {
  return detail::number_rule("exclusiveMaximum", value);
}
constexpr Constraint multiple_of(double value) {
  return detail::number_rule("multipleOf", value);
}
// Constraints of texts. Lengths are in characters.
constexpr Constraint min_length(int value) {
  return detail::number_rule("minLength", value);
}
constexpr Constraint max_length(int value) {
  return detail::number_rule("maxLength", value);
}
constexpr Constraint pattern(std::string_view regex) {
  return detail::text_rule("pattern", regex);
}
constexpr Constraint format(std::string_view name) {
  return detail::text_rule("format", name);
}
// Constraints of lists.
constexpr Constraint min_items(int value) {
  return detail::number_rule("minItems", value);
}
constexpr Constraint max_items(int value) {
  return detail::number_rule("maxItems", value);
}
constexpr Constraint unique_items(bool value = true) {
  return {Constraint::Kind::Number, "uniqueItems", {}, value ? 1.0 : 0.0, true};
}
// Constraints of maps.
constexpr Constraint min_properties(int value) {
  return detail::number_rule("minProperties", value);
}
constexpr Constraint max_properties(int value) {
  return detail::number_rule("maxProperties", value);
}
// The constraints below apply to fields of any type. The function example() gives a valid value,
// for users, for models, and for the calls that `toolpost plugin check` makes.
constexpr Constraint example(std::string_view value) {
  return {Constraint::Kind::Example, "examples", value, 0, false};
}
constexpr Constraint example(const char* value) {
  return example(std::string_view(value));
}
constexpr Constraint example(bool value) {
  return {Constraint::Kind::Example, "examples", {}, value ? 1.0 : 0.0, true};
}
template <class T>
requires(std::is_arithmetic_v<T> && !std::same_as<T, bool>) constexpr Constraint example(T value) {
  return {Constraint::Kind::Example, "examples", {}, static_cast<double>(value), false};
}
constexpr Constraint title(std::string_view text) {
  return detail::text_rule("title", text);
}
// With header(), the client repeats this argument in the HTTP header Mcp-Param-NAME, so that
// gateways can use it for routing.
constexpr Constraint header(std::string_view name) {
  return detail::text_rule("x-mcp-header", name);
}
// Use `defaulted` for a field whose initial value is the zero of its type, like `int offset = 0` or
// `std::string s = ""`. With `defaulted`, the zero of the type is the field's default. Without
// `defaulted`, the field is required, because the SDK cannot see whether an initialiser wrote the
// zero.
inline constexpr Constraint defaulted{};

}  // namespace v1
}  // namespace toolpost
