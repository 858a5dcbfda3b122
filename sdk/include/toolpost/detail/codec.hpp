// How each type that a field may have stands in JSON: its schema, its reading and its writing.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "toolpost/detail/json.hpp"

namespace toolpost {
inline namespace v1 {

template <class E>
struct EnumValue {
  std::string_view name;
  E value;
  std::string_view description = {};
};

// A text that is a template's argument.
template <std::size_t N>
struct FixedText {
  char text[N] = {};
  consteval FixedText(const char (&from)[N]) {  // NOLINT: "circle" is meant to become one
    for (std::size_t i = 0; i < N; ++i) text[i] = from[i];
  }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

// A member that is always the same text: what tells the alternatives of a std::variant apart.
//   struct Circle { toolpost::Literal<"circle"> kind; double radius; TOOLPOST_FIELDS(...) };
template <FixedText Text>
struct Literal {
  static constexpr std::string_view text = Text.view();
  constexpr operator std::string_view() const { return text; }  // NOLINT: it is that text
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
    bool described = false;
    for (const auto& known : toolpost_values(T{})) described |= !known.description.empty();
    out += described ? R"("type":"string","oneOf":[)" : R"("type":"string","enum":[)";
    for (const auto& known : toolpost_values(T{})) {
      if (out.back() != '[') out += ',';
      if (!described) {
        write_string(out, known.name);
        continue;
      }
      out += R"({"const":)";
      write_string(out, known.name);
      if (!known.description.empty()) {
        out += R"(,"description":)";
        write_string(out, known.description);
      }
      out += '}';
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

template <FixedText Text>
struct Codec<Literal<Text>> {
  static void schema(std::string& out, int) {
    out += R"("type":"string","const":)";
    write_string(out, Text.view());
  }
  static void read(Reader& in, Literal<Text>&) {
    if (in.string() != Text.view()) in.fail("is not \"" + std::string(Text.view()) + "\"");
  }
  static void write(std::string& out, Literal<Text>) { write_string(out, Text.view()); }
};

template <>
struct Codec<std::monostate> {
  static void schema(std::string& out, int) { out += R"("type":"null")"; }
  static void read(Reader& in, std::monostate&) {
    if (!in.null()) in.fail("is not null");
  }
  static void write(std::string& out, std::monostate) { out += "null"; }
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
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// The schema of what stands in a list or map: there an absent value is a null.
template <class T>
void element_schema(std::string& out, int depth) {
  check_schema_depth(depth);
  if constexpr (is_optional<T>) {
    out += R"("anyOf":[{)";
    Codec<T>::schema(out, depth + 1);
    out += R"(},{"type":"null"}])";
  } else {
    Codec<T>::schema(out, depth + 1);
  }
}

template <class List>
void write_list(std::string& out, const List& values) {
  out += '[';
  bool first = true;
  for (const auto& value : values) {
    if (!std::exchange(first, false)) out += ',';
    Codec<typename List::value_type>::write(out, value);
  }
  out += ']';
}

template <class T>
struct Codec<std::vector<T>> {
  static void schema(std::string& out, int depth) {
    out += R"("type":"array","items":{)";
    element_schema<T>(out, depth);
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
  static void write(std::string& out, const std::vector<T>& values) { write_list(out, values); }
};

template <class T>
struct Codec<std::set<T>> {
  static void schema(std::string& out, int depth) {
    Codec<std::vector<T>>::schema(out, depth);
    out += R"(,"uniqueItems":true)";
  }
  static void read(Reader& in, std::set<T>& values) {
    values.clear();
    in.array([&] {
      T value{};
      Codec<T>::read(in, value);
      if (!values.insert(std::move(value)).second) in.fail("is there twice");
    });
  }
  static void write(std::string& out, const std::set<T>& values) { write_list(out, values); }
};

template <class T, std::size_t N>
struct Codec<std::array<T, N>> {
  static void schema(std::string& out, int depth) {
    Codec<std::vector<T>>::schema(out, depth);
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

template <class Map>
struct MapCodec {
  using T = typename Map::mapped_type;
  static void schema(std::string& out, int depth) {
    out += R"("type":"object","additionalProperties":{)";
    element_schema<T>(out, depth);
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
struct Codec<std::map<std::string, T>> : MapCodec<std::map<std::string, T>> {};
template <class T>
struct Codec<std::unordered_map<std::string, T>> : MapCodec<std::unordered_map<std::string, T>> {};

template <class T>
std::string to_json(const T& value) {
  std::string out;
  Codec<T>::write(out, value);
  return out;
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
