// codec.hpp defines the JSON form of each type that a field may have: its schema, its reader and
// its writer.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "toolpost/detail/json.hpp"
#include "toolpost/detail/linkage.hpp"

namespace toolpost {
inline namespace v1 {

template <class E>
struct EnumValue {
  std::string_view name;
  E value;
  std::string_view description = {};
};

// FixedText is a text as a template argument.
template <std::size_t N>
struct FixedText {
  char text[N] = {};
  consteval FixedText(const char (&from)[N]) {  // NOLINT: implicit, for Literal<"circle">
    for (std::size_t i = 0; i < N; ++i) text[i] = from[i];
  }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

// A Literal is a member that always has the same text. A Literal distinguishes the alternatives of
// a std::variant.
//   struct Circle { toolpost::Literal<"circle"> kind; double radius; };
template <FixedText Text>
struct Literal {
  static constexpr std::string_view text = Text.view();
  constexpr operator std::string_view() const { return text; }  // NOLINT: implicit
};

namespace detail {

template <class T>
concept DescribedEnum = std::is_enum_v<T> && requires(T value) {
  toolpost_values(value);
};

template <class T>
struct Codec {
  static_assert(sizeof(T) == 0,
                "toolpost: this type has no JSON form. A struct must be an aggregate or have "
                "TOOLPOST_FIELDS, an enum must have TOOLPOST_ENUM");
};

// SchemaScope contains the options for writing a type's schema. The depth of a schema is limited,
// because a type may contain itself.
struct SchemaScope {
  int depth = 0;
  bool closed = false;  // true: the schema forbids members that are not fields

  constexpr SchemaScope inner() const { return {depth + 1, closed}; }
};

// The functions schema() add members to a JSON object that the caller has opened and will close.
void check_schema_depth(SchemaScope at);

template <>
struct Codec<bool> {
  static void schema(std::string& out, SchemaScope at);
  static void read(Reader& in, bool& value);
  static void write(std::string& out, bool value);
};

template <std::integral T>
struct Codec<T> {
  static void schema(std::string& out, SchemaScope) {
    out += std::is_unsigned_v<T> ? R"("type":"integer","minimum":0)" : R"("type":"integer")";
  }
  static void read(Reader& in, T& value) { value = in.integer<T>(); }
  static void write(std::string& out, T value) {
    write_number(
        out,
        static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(value));
  }
};

template <std::floating_point T>
struct Codec<T> {
  static void schema(std::string& out, SchemaScope) { out += R"("type":"number")"; }
  static void read(Reader& in, T& value) {
    using Narrow = std::conditional_t<(sizeof(T) < sizeof(double)), T, double>;
    value = static_cast<T>(in.number(std::numeric_limits<Narrow>::max()));
  }
  static void write(std::string& out, T value) { write_number(out, value); }
};

template <>
struct Codec<std::string> {
  static void schema(std::string& out, SchemaScope at);
  static void read(Reader& in, std::string& value);
  static void write(std::string& out, const std::string& value);
};

template <>
struct Codec<Json> {
  static void schema(std::string&, SchemaScope) {}
  static void read(Reader& in, Json& value);
  static void write(std::string& out, const Json& value);
};

// EnumNames contains the names of the values of an enum, without the enum's type. names[i] is the
// name of the value with index i.
struct EnumNames {
  const std::string_view* names;
  const std::string_view* descriptions;
  std::size_t count;

  void schema(std::string& out) const;
  std::size_t read(Reader& in) const;
  void write(std::string& out, std::size_t index) const;  // throws if index is not less than count
};

template <DescribedEnum T>
struct Codec<T> {
  static void schema(std::string& out, SchemaScope) { names().schema(out); }
  static void read(Reader& in, T& value) { value = kValues[names().read(in)].value; }
  static void write(std::string& out, T value) {
    std::size_t index = 0;
    while (index < kCount && kValues[index].value != value) ++index;
    names().write(out, index);
  }

 private:
  static constexpr auto kValues = toolpost_values(T{});
  static constexpr std::size_t kCount = kValues.size();
  struct Columns {
    std::string_view names[kCount];
    std::string_view descriptions[kCount];
  };
  static constexpr Columns kColumns = [] {
    Columns columns;
    for (std::size_t i = 0; i < kCount; ++i) {
      columns.names[i] = kValues[i].name;
      columns.descriptions[i] = kValues[i].description;
    }
    return columns;
  }();
  static EnumNames names() { return {kColumns.names, kColumns.descriptions, kCount}; }
};

void fixed_text_schema(std::string& out, std::string_view text);
void read_fixed_text(Reader& in, std::string_view text);

template <FixedText Text>
struct Codec<Literal<Text>> {
  static void schema(std::string& out, SchemaScope) { fixed_text_schema(out, Text.view()); }
  static void read(Reader& in, Literal<Text>&) { read_fixed_text(in, Text.view()); }
  static void write(std::string& out, Literal<Text>) { write_string(out, Text.view()); }
};

template <class T>
struct Codec<std::optional<T>> {
  static void schema(std::string& out, SchemaScope at) { Codec<T>::schema(out, at); }
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
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// Writes the schema of the elements of a list or map. In a list or map, an absent value is written
// as null.
void element_schema(std::string& out, SchemaScope at, bool optional,
                    FunctionRef<void(std::string& out, SchemaScope at)> schema);
template <class T>
void element_schema(std::string& out, SchemaScope at) {
  element_schema(out, at, is_optional<T>, &Codec<T>::schema);
}

template <class T>
void list_schema(std::string& out, SchemaScope at) {
  out += R"("type":"array","items":{)";
  element_schema<T>(out, at);
  out += '}';
}

template <class List>
void write_list(std::string& out, const List& values) {
  out += '[';
  for (const auto& value : values) {
    if (out.back() != '[') out += ',';
    Codec<typename List::value_type>::write(out, value);
  }
  out += ']';
}

template <class T>
struct Codec<std::vector<T>> {
  static void schema(std::string& out, SchemaScope at) { list_schema<T>(out, at); }
  static void read(Reader& in, std::vector<T>& values) {
    values.clear();
    in.array([&] {
      T value{};
      Codec<T>::read(in, value);
      values.push_back(std::move(value));
    });
  }
  static void write(std::string& out, const std::vector<T>& values) { write_list(out, values); }
};

// SetLike detects the sets and maps of the standard library by their members, so that codec.hpp
// need not include their headers.
template <class T>
concept SetLike = requires {
  typename T::key_compare;
  typename T::value_type;
}
&&std::same_as<typename T::key_type, typename T::value_type>;
template <class T>
concept MapLike = requires {
  typename T::mapped_type;
}
&&std::same_as<typename T::key_type, std::string>;

template <SetLike Set>
struct Codec<Set> {
  using T = typename Set::value_type;
  static void schema(std::string& out, SchemaScope at) {
    list_schema<T>(out, at);
    out += R"(,"uniqueItems":true)";
  }
  static void read(Reader& in, Set& values) {
    values.clear();
    in.array([&] {
      T value{};
      Codec<T>::read(in, value);
      if (!values.insert(std::move(value)).second) in.fail("is there twice");
    });
  }
  static void write(std::string& out, const Set& values) { write_list(out, values); }
};

template <class T, std::size_t N>
struct Codec<std::array<T, N>> {
  static void schema(std::string& out, SchemaScope at) {
    list_schema<T>(out, at);
    out += R"(,"minItems":)" + std::to_string(N) + R"(,"maxItems":)" + std::to_string(N);
  }
  static void read(Reader& in, std::array<T, N>& values) {
    std::size_t count = 0;
    in.array([&] {
      if (count == N) in.fail("is one too many");
      Codec<T>::read(in, values[count++]);
    });
    if (count < N) in.fail("has too few items");
  }
  static void write(std::string& out, const std::array<T, N>& values) { write_list(out, values); }
};

template <MapLike Map>
struct Codec<Map> {
  using T = typename Map::mapped_type;
  static void schema(std::string& out, SchemaScope at) {
    out += R"("type":"object","additionalProperties":{)";
    element_schema<T>(out, at);
    out += '}';
  }
  static void read(Reader& in, Map& values) {
    values.clear();
    in.object([&](std::string_view key) {
      const auto [at, fresh] = values.try_emplace(std::string(key));
      if (!fresh) in.fail("appears twice");
      Codec<T>::read(in, at->second);
    });
  }
  static void write(std::string& out, const Map& values) {
    out += '{';
    for (const auto& [key, value] : values) {
      if (out.back() != '{') out += ',';
      write_string(out, key);
      out += ':';
      Codec<T>::write(out, value);
    }
    out += '}';
  }
};

template <class T>
std::string json_of(const T& value) {
  std::string out;
  Codec<T>::write(out, value);
  return out;
}

}  // namespace detail

// Writes a value as JSON, for storage, HTTP and saved state. The value can have any type that a
// field may have, such as a struct. An optional field without a value is omitted.
template <class T>
std::string to_json(const T& value) {
  return detail::json_of(value);
}

// Reads JSON as T. from_json() skips members of the JSON that are not fields of T. So from_json()
// can read the text of other programs, and of other versions of this program. `what` names the JSON
// text in error messages.
//
// from_json() throws Error with the JSON pointer of the value that is missing or has the wrong
// type.
template <class T>
T from_json(std::string_view json, std::string_view what = "value") {
  T value{};
  detail::Reader in(json, what);
  detail::Codec<T>::read(in, value);
  in.end();
  return value;
}

}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/codec.ipp"
#endif
