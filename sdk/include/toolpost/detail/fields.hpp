// Plain structs whose fields have names: one description of a type gives its JSON Schema, its
// reading from JSON and its writing.
//
//   struct Forecast {
//     std::string city;
//     int days = 3;                     // has an initialiser: not required, "default": 3
//     std::optional<std::string> unit;  // not required
//
//     TOOLPOST_FIELDS(Forecast,
//       TOOLPOST_FIELD(city, "City name"),
//       TOOLPOST_FIELD(days, "How many days", toolpost::minimum(1), toolpost::maximum(14)),
//       TOOLPOST_FIELD(unit, "celsius or fahrenheit"))
//   };
//
// Field types: bool, integers, float, double, std::string, Json, enums (TOOLPOST_ENUM), structs
// like this one, Literal, and std::optional, std::vector, std::array, std::set, std::variant,
// std::map<std::string, T> and std::unordered_map<std::string, T> of them.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "toolpost/detail/codec.hpp"
#include "toolpost/detail/constraint.hpp"

namespace toolpost {
inline namespace v1 {

template <class Owner, class T, std::size_t N>
struct Field {
  std::string_view name;
  T Owner::*member;
  std::string_view description;
  std::array<Constraint, N> constraints;
};

template <class Owner, class T, std::same_as<Constraint>... C>
constexpr auto field(std::string_view name, T Owner::*member, std::string_view description = {},
                     C... constraints) {
  return Field<Owner, T, sizeof...(C)>{name, member, description, {constraints...}};
}

// Inside a struct, after its fields. The struct stays an aggregate.
#define TOOLPOST_FIELDS(Type, ...)          \
  using toolpost_self = Type;               \
  static constexpr auto toolpost_fields() { \
    return ::std::make_tuple(__VA_ARGS__);  \
  }
// TOOLPOST_FIELD(member, "Description", constraints...); all but the member may be left out.
#define TOOLPOST_FIELD(member, ...) \
  ::toolpost::field(#member, &toolpost_self::member __VA_OPT__(, ) __VA_ARGS__)
// The same where JSON's name is no C++ name, or another: TOOLPOST_FIELD_AS(klass, "class", ...).
#define TOOLPOST_FIELD_AS(member, name, ...) \
  ::toolpost::field(name, &toolpost_self::member __VA_OPT__(, ) __VA_ARGS__)
// In the enum's namespace: TOOLPOST_ENUM(Unit, TOOLPOST_VALUE(celsius), TOOLPOST_VALUE(fahrenheit))
#define TOOLPOST_ENUM(Type, ...)                          \
  [[maybe_unused]] constexpr auto toolpost_values(Type) { \
    using toolpost_self = Type;                           \
    return ::std::array{__VA_ARGS__};                     \
  }
// TOOLPOST_VALUE(enumerator, "Description"); with descriptions the schema tells each value's.
#define TOOLPOST_VALUE(enumerator, ...) TOOLPOST_VALUE_AS(enumerator, #enumerator, __VA_ARGS__)
#define TOOLPOST_VALUE_AS(enumerator, name, ...)               \
  ::toolpost::EnumValue<toolpost_self> {                       \
    name, toolpost_self::enumerator __VA_OPT__(, ) __VA_ARGS__ \
  }

template <class T>
concept Described = requires {
  T::toolpost_fields();
};

namespace detail {

// The default that a field's initialiser gives, as JSON; empty where the field is required or
// optional.
template <class Owner, class T, std::size_t N>
std::string default_of(const Field<Owner, T, N>& field, const auto& initial) {
  if constexpr (is_optional<T>) {
    if (!(initial.*field.member)) return {};
    return to_json(initial.*field.member);
  } else {
    std::string value = to_json(initial.*field.member);
    for (const Constraint& constraint : field.constraints) {
      if (constraint.kind == Constraint::Kind::Optional) return value;
    }
    return value == to_json(T{}) ? std::string() : value;
  }
}

template <Described T>
struct Codec<T> {
  static void schema(std::string& out, int depth) {
    check_schema_depth(depth);
    const T initial{};
    std::string required;
    out += R"("type":"object","properties":{)";
    each_field([&](const auto& field) {
      if (out.back() != '{') out += ',';
      write_string(out, field.name);
      out += ':';
      const std::string value = default_of(field, initial);
      property(out, field, value, depth);
      if (value.empty() && !is_optional<member_type<decltype(field)>>) {
        required += required.empty() ? "" : ",";
        write_string(required, field.name);
      }
    });
    out += '}';
    if (!required.empty()) out += R"(,"required":[)" + required + "]";
  }

  static void read(Reader& in, T& value) {
    std::array<bool, kFieldCount> seen{};
    in.object([&](std::string_view key) {
      std::size_t index = 0;
      bool known = false;
      each_field([&](const auto& field) {
        if (field.name == key) {
          if (std::exchange(seen[index], true)) in.fail("appears twice");
          known = true;
          Codec<member_type<decltype(field)>>::read(in, value.*field.member);
        }
        ++index;
      });
      if (!known) in.any();
    });
    std::size_t index = 0;
    const T initial{};
    each_field([&](const auto& field) {
      if (seen[index++] || is_optional<member_type<decltype(field)>>) return;
      if (default_of(field, initial).empty()) in.fail_member(field.name, "is missing");
    });
  }

  static void write(std::string& out, const T& value) {
    out += '{';
    bool first = true;
    each_field([&](const auto& field) {
      using Member = member_type<decltype(field)>;
      if constexpr (is_optional<Member>) {
        if (!(value.*field.member)) return;
      }
      if (!std::exchange(first, false)) out += ',';
      write_string(out, field.name);
      out += ':';
      Codec<Member>::write(out, value.*field.member);
    });
    out += '}';
  }

 private:
  static constexpr std::size_t kFieldCount = std::tuple_size_v<decltype(T::toolpost_fields())>;

  template <class F>
  using member_type = std::remove_cvref_t<decltype(std::declval<T&>().*(std::declval<F>().member))>;

  template <class F>
  static void each_field(F&& visit) {
    std::apply([&](const auto&... field) { (visit(field), ...); }, T::toolpost_fields());
  }

  // That of an unsigned type, where the field has one of its own: a schema says it once.
  static void drop_own_minimum(std::string& out) {
    constexpr std::string_view kOwn = R"(,"minimum":0)";
    if (std::string_view(out).ends_with(kOwn)) out.resize(out.size() - kOwn.size());
  }

  template <class F>
  static void property(std::string& out, const F& field, const std::string& default_value,
                       int depth) {
    out += '{';
    Codec<member_type<F>>::schema(out, depth + 1);
    for (const Constraint& constraint : field.constraints) {
      if (constraint.keyword == "minimum") drop_own_minimum(out);
    }
    write_constraints(out, field.constraints);
    if (!field.description.empty())
      write_member(out, "description"), write_string(out, field.description);
    if (!default_value.empty()) write_member(out, "default"), out += default_value;
    out += '}';
  }
};

// The whole JSON Schema of a struct.
template <Described T>
std::string schema_of() {
  std::string out = "{";
  Codec<T>::schema(out, 0);
  return out + "}";
}

// The same for what people write by hand: a name that is no field's is a slip, and refused.
template <Described T>
std::string closed_schema_of() {
  std::string out = schema_of<T>();
  out.back() = ',';
  return out + R"("additionalProperties":false})";
}

// One JSON object into a struct; empty text counts as {}.
template <Described T>
T read_object(std::string_view text, std::string_view what) {
  Reader in(text.empty() ? "{}" : text, what);
  T value{};
  Codec<T>::read(in, value);
  in.end();
  return value;
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost

#include "toolpost/detail/variant.hpp"
