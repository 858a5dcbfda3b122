// A Field is a struct member whose type contains its description and rules, for structs without
// TOOLPOST_FIELDS:
//
//   struct Forecast {
//     toolpost::Field<std::string, "City name", toolpost::MinLength<1>> city;
//     toolpost::Field<int, "How many days", toolpost::Minimum<1>, toolpost::Maximum<14>> days = 3;
//     std::optional<bool> hourly;  // needs no description
//   };
#pragma once

#include <initializer_list>
#include <type_traits>
#include <utility>

#include "toolpost/detail/codec.hpp"
#include "toolpost/detail/constraint.hpp"

namespace toolpost {
inline namespace v1 {

// Minimum, Maximum and the structs after them are the rules that a Field can have. Each rule has
// the meaning of the constraint with the same name in constraint.hpp.
template <auto Value>
struct Minimum {
  static constexpr Constraint constraint = minimum(Value);
};
template <auto Value>
struct Maximum {
  static constexpr Constraint constraint = maximum(Value);
};
template <auto Value>
struct ExclusiveMinimum {
  static constexpr Constraint constraint = exclusive_minimum(Value);
};
template <auto Value>
struct ExclusiveMaximum {
  static constexpr Constraint constraint = exclusive_maximum(Value);
};
template <auto Value>
struct MultipleOf {
  static constexpr Constraint constraint = multiple_of(Value);
};
template <int Value>
struct MinLength {
  static constexpr Constraint constraint = min_length(Value);
};
template <int Value>
struct MaxLength {
  static constexpr Constraint constraint = max_length(Value);
};
template <FixedText Regex>
struct Pattern {
  static constexpr Constraint constraint = pattern(Regex.view());
};
template <FixedText Name>
struct Format {
  static constexpr Constraint constraint = format(Name.view());
};
template <int Value>
struct MinItems {
  static constexpr Constraint constraint = min_items(Value);
};
template <int Value>
struct MaxItems {
  static constexpr Constraint constraint = max_items(Value);
};
struct UniqueItems {
  static constexpr Constraint constraint = unique_items();
};
template <int Value>
struct MinProperties {
  static constexpr Constraint constraint = min_properties(Value);
};
template <int Value>
struct MaxProperties {
  static constexpr Constraint constraint = max_properties(Value);
};
template <FixedText Text>
struct Title {
  static constexpr Constraint constraint = title(Text.view());
};
template <FixedText Name>
struct Header {
  static constexpr Constraint constraint = header(Name.view());
};
// Example is an example value that is a number or a boolean.
template <auto Value>
struct Example {
  static constexpr Constraint constraint = example(Value);
};
template <FixedText Text>
struct ExampleText {
  static constexpr Constraint constraint = example(Text.view());
};
// With Defaulted, the field's default is the zero of its type: 0, false, "" or an empty list.
struct Defaulted {
  static constexpr Constraint constraint = defaulted;
};

namespace detail {

// FieldOf is the base of all Fields, which is used to detect a Field.
template <class T>
struct FieldOf {
  using toolpost_type = T;
};

// ScalarField is the base for Fields of numbers, booleans and enums. No class can derive from a
// number, a boolean or an enum.
template <class T>
struct ScalarField {
  T value = {};

  constexpr ScalarField() = default;
  constexpr ScalarField(T from) : value(from) {}         // NOLINT: implicit
  constexpr operator const T&() const { return value; }  // NOLINT
  constexpr operator T&() { return value; }              // NOLINT
  const T& get() const { return value; }
};

// ObjectField is the base for Fields of texts, lists and optionals. A Field of a text, list or
// optional has all functions of its type.
template <class T>
struct ObjectField : T {
  using T::T;
  using T::operator=;
  ObjectField() = default;
  ObjectField(T from) : T(std::move(from)) {}  // NOLINT: implicit
  const T& get() const { return *this; }
};

template <class T>
using FieldBase = std::conditional_t<std::is_class_v<T>, ObjectField<T>, ScalarField<T>>;

}  // namespace detail

// A Field is a member of type T with a description and rules. A Field can be used as a T. If a
// template needs the T and not the Field, call get() of the Field.
template <class T, FixedText Description, class... Rules>
struct Field : detail::FieldBase<T>, detail::FieldOf<T> {
  using detail::FieldBase<T>::FieldBase;
  using detail::FieldBase<T>::operator=;
  static constexpr std::initializer_list<Constraint> constraints = {Constraint(Description.view()),
                                                                    Rules::constraint...};
};

// If a struct has a member of the type AdditionalProperties, arguments that are not members are
// skipped instead of refused.
struct AdditionalProperties {};

}  // namespace v1
}  // namespace toolpost
