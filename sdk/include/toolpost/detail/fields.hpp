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
// like this one, and std::optional, std::vector and std::map<std::string, T> of them.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "toolpost/detail/json.hpp"

namespace toolpost {
inline namespace v1 {

// What a field's schema says beside its type.
struct Constraint {
  std::string_view
      keyword;            // of JSON Schema; empty: the field is optional because of its initialiser
  std::string_view text;  // its value where that is a string, else
  double number = 0;
};

constexpr Constraint minimum(double value) {
  return {"minimum", {}, value};
}
constexpr Constraint maximum(double value) {
  return {"maximum", {}, value};
}
constexpr Constraint min_length(int value) {
  return {"minLength", {}, static_cast<double>(value)};
}
constexpr Constraint max_length(int value) {
  return {"maxLength", {}, static_cast<double>(value)};
}
constexpr Constraint min_items(int value) {
  return {"minItems", {}, static_cast<double>(value)};
}
constexpr Constraint max_items(int value) {
  return {"maxItems", {}, static_cast<double>(value)};
}
constexpr Constraint pattern(std::string_view regex) {
  return {"pattern", regex, 0};
}
constexpr Constraint format(std::string_view name) {
  return {"format", name, 0};
}
// The client mirrors this argument in the HTTP header Mcp-Param-NAME, for gateways to route by.
constexpr Constraint header(std::string_view name) {
  return {"x-mcp-header", name, 0};
}
// For an initialiser that is its type's zero, like `int offset = 0`, which cannot be told from
// none.
inline constexpr Constraint defaulted{};

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

template <class E>
struct EnumValue {
  std::string_view name;
  E value;
};

// Inside a struct, after its fields. The struct stays an aggregate.
#define TOOLPOST_FIELDS(Type, ...)          \
  using toolpost_self = Type;               \
  static constexpr auto toolpost_fields() { \
    return ::std::make_tuple(__VA_ARGS__);  \
  }
// TOOLPOST_FIELD(member, "Description", constraints...); all but the member may be left out.
#define TOOLPOST_FIELD(member, ...) \
  ::toolpost::field(#member, &toolpost_self::member __VA_OPT__(, ) __VA_ARGS__)
// In the enum's namespace: TOOLPOST_ENUM(Unit, TOOLPOST_VALUE(celsius), TOOLPOST_VALUE(fahrenheit))
#define TOOLPOST_ENUM(Type, ...)                          \
  [[maybe_unused]] constexpr auto toolpost_values(Type) { \
    using toolpost_self = Type;                           \
    return ::std::array{__VA_ARGS__};                     \
  }
#define TOOLPOST_VALUE(enumerator)         \
  ::toolpost::EnumValue<toolpost_self> {   \
#enumerator, toolpost_self::enumerator \
  }

template <class T>
concept Described = requires {
  T::toolpost_fields();
};

namespace detail {

template <class T>
concept DescribedEnum = std::is_enum_v<T> && requires(T value) {
  toolpost_values(value);
};

template <class T>
struct Codec {
  static_assert(
      sizeof(T) == 0,
      "toolpost: this type has no JSON form; give a struct TOOLPOST_FIELDS, an enum TOOLPOST_ENUM");
};

// schema() adds members to an object that the caller opened and will close; depth stops types that
// contain themselves.
inline void check_schema_depth(int depth) {
  if (depth > 32)
    throw std::logic_error("a type that contains itself has no schema here: use Json");
}

template <>
struct Codec<bool> {
  static void schema(std::string& out, int) { out += R"("type":"boolean")"; }
  static void read(Reader& in, bool& value) { value = in.boolean(); }
  static void write(std::string& out, bool value) { out += value ? "true" : "false"; }
};

template <std::integral T>
struct Codec<T> {
  static void schema(std::string& out, int) {
    out += R"("type":"integer")";
    if constexpr (std::is_unsigned_v<T>) out += R"(,"minimum":0)";
  }
  static void read(Reader& in, T& value) { value = in.integer<T>(); }
  static void write(std::string& out, T value) { write_number(out, value); }
};

template <std::floating_point T>
struct Codec<T> {
  static void schema(std::string& out, int) { out += R"("type":"number")"; }
  static void read(Reader& in, T& value) { value = static_cast<T>(in.number()); }
  static void write(std::string& out, T value) { write_number(out, value); }
};

template <>
struct Codec<std::string> {
  static void schema(std::string& out, int) { out += R"("type":"string")"; }
  static void read(Reader& in, std::string& value) { value = in.string(); }
  static void write(std::string& out, const std::string& value) { write_string(out, value); }
};

template <>
struct Codec<Json> {
  static void schema(std::string&, int) {}
  static void read(Reader& in, Json& value) { value.text = in.any(); }
  static void write(std::string& out, const Json& value) { out += value.text; }
};

template <DescribedEnum T>
struct Codec<T> {
  static void schema(std::string& out, int) {
    out += R"("type":"string","enum":[)";
    for (const auto& known : toolpost_values(T{})) {
      if (out.back() != '[') out += ',';
      write_string(out, known.name);
    }
    out += ']';
  }
  static void read(Reader& in, T& value) {
    const std::string name = in.string();
    for (const auto& known : toolpost_values(T{})) {
      if (known.name == name) {
        value = known.value;
        return;
      }
    }
    in.fail("is none of the known values");
  }
  static void write(std::string& out, T value) {
    for (const auto& known : toolpost_values(T{})) {
      if (known.value == value) return write_string(out, known.name);
    }
    throw std::domain_error("an enum has a value without a name");
  }
};

template <class T>
struct Codec<std::optional<T>> {
  static void schema(std::string& out, int depth) { Codec<T>::schema(out, depth); }
  static void read(Reader& in, std::optional<T>& value) {
    if (in.null()) {
      value.reset();
    } else {
      Codec<T>::read(in, value.emplace());
    }
  }
  static void write(std::string& out, const std::optional<T>& value) {
    if (value) {
      Codec<T>::write(out, *value);
    } else {
      out += "null";
    }
  }
};

template <class T>
struct Codec<std::vector<T>> {
  static void schema(std::string& out, int depth) {
    check_schema_depth(depth);
    out += R"("type":"array","items":{)";
    Codec<T>::schema(out, depth + 1);
    out += '}';
  }
  static void read(Reader& in, std::vector<T>& values) {
    values.clear();
    in.array([&] {
      T value{};
      Codec<T>::read(in, value);
      values.push_back(std::move(value));
    });
  }
  static void write(std::string& out, const std::vector<T>& values) {
    out += '[';
    bool first = true;
    for (const T& value : values) {
      if (!std::exchange(first, false)) out += ',';
      Codec<T>::write(out, value);
    }
    out += ']';
  }
};

template <class T>
struct Codec<std::map<std::string, T>> {
  static void schema(std::string& out, int depth) {
    check_schema_depth(depth);
    out += R"("type":"object","additionalProperties":{)";
    Codec<T>::schema(out, depth + 1);
    out += '}';
  }
  static void read(Reader& in, std::map<std::string, T>& values) {
    values.clear();
    in.object([&](std::string_view key) { Codec<T>::read(in, values[std::string(key)]); });
  }
  static void write(std::string& out, const std::map<std::string, T>& values) {
    out += '{';
    bool first = true;
    for (const auto& [key, value] : values) {
      if (!std::exchange(first, false)) out += ',';
      write_string(out, key);
      out += ':';
      Codec<T>::write(out, value);
    }
    out += '}';
  }
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
std::string to_json(const T& value) {
  std::string out;
  Codec<T>::write(out, value);
  return out;
}

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
      if (constraint.keyword.empty()) return value;
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

  template <class F>
  static void property(std::string& out, const F& field, const std::string& default_value,
                       int depth) {
    out += '{';
    Codec<member_type<F>>::schema(out, depth + 1);
    const auto member = [&](std::string_view keyword) {
      if (out.back() != '{') out += ',';
      write_string(out, keyword);
      out += ':';
    };
    for (const Constraint& constraint : field.constraints) {
      if (constraint.keyword.empty()) continue;
      member(constraint.keyword);
      if (constraint.text.data() != nullptr) {
        write_string(out, constraint.text);
      } else {
        write_number(out, constraint.number);
      }
    }
    if (!field.description.empty()) member("description"), write_string(out, field.description);
    if (!default_value.empty()) member("default"), out += default_value;
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
