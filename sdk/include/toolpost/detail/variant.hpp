// One of several types. Where each is a struct with a Literal member, or where JSON's own types
// tell them apart, the schema says oneOf, else anyOf; the first alternative that fits is taken.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "toolpost/detail/fields.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

template <class T>
inline constexpr bool is_literal = false;
template <FixedText Text>
inline constexpr bool is_literal<Literal<Text>> = true;

// JSON's type: o(bject), a(rray), s(tring), n(umber), b(oolean), 0 (null), * (any).
template <class T>
inline constexpr char json_kind = '*';
template <>
inline constexpr char json_kind<bool> = 'b';
template <class T>
requires(std::is_arithmetic_v<T> &&
         !std::is_same_v<T, bool>) inline constexpr char json_kind<T> = 'n';
template <>
inline constexpr char json_kind<std::string> = 's';
template <DescribedEnum T>
inline constexpr char json_kind<T> = 's';
template <FixedText Text>
inline constexpr char json_kind<Literal<Text>> = 's';
template <>
inline constexpr char json_kind<std::monostate> = '0';
template <class T>
inline constexpr char json_kind<std::vector<T>> = 'a';
template <class T>
inline constexpr char json_kind<std::set<T>> = 'a';
template <class T, std::size_t N>
inline constexpr char json_kind<std::array<T, N>> = 'a';
template <Described T>
inline constexpr char json_kind<T> = 'o';
template <class T>
inline constexpr char json_kind<std::map<std::string, T>> = 'o';
template <class T>
inline constexpr char json_kind<std::unordered_map<std::string, T>> = 'o';
// A variant of objects is an object.
template <class First, class... Rest>
inline constexpr char json_kind<std::variant<First, Rest...>> =
    ((json_kind<Rest> == json_kind<First>)&&...) ? json_kind<First> : '*';

inline bool may_begin(char first, char kind) {
  switch (kind) {
    case 'o':
      return first == '{';
    case 'a':
      return first == '[';
    case 's':
      return first == '"';
    case 'n':
      return first == '-' || (first >= '0' && first <= '9');
    case 'b':
      return first == 't' || first == 'f';
    case '0':
      return first == 'n';
    default:
      return true;
  }
}

// The first Literal member of a struct: its name and its text.
struct Tag {
  std::string_view name = {};
  std::string_view text = {};
  bool operator==(const Tag&) const = default;
};

template <class Owner, class T, std::size_t N>
constexpr void take_tag(const Field<Owner, T, N>& field, Tag& tag) {
  if constexpr (is_literal<T>) {
    if (tag.name.empty()) tag = {field.name, T::text};
  }
}

template <class T>
constexpr Tag tag_of() {
  Tag tag;
  if constexpr (Described<T>) {
    std::apply([&](const auto&... field) { (take_tag(field, tag), ...); }, T::toolpost_fields());
  }
  return tag;
}

// What the value that comes next has under `name`, where that is a text.
inline std::string tag_in(Reader in, std::string_view name) {
  std::string found;
  in.object([&](std::string_view key) {
    if (key == name && in.peek() == '"') {
      found = in.string();
    } else {
      in.any();
    }
  });
  return found;
}

template <class... T>
struct Codec<std::variant<T...>> {
  using Variant = std::variant<T...>;
  static constexpr std::size_t kCount = sizeof...(T);

  static void schema(std::string& out, int depth) {
    check_schema_depth(depth);
    if (json_kind<Variant> == 'o') out += R"("type":"object",)";
    out += told_apart() ? R"("oneOf":[)" : R"("anyOf":[)";
    (one_schema<T>(out, depth), ...);
    out += ']';
  }

  static void read(Reader& in, Variant& value) {
    std::size_t tried = 0;
    std::optional<Error> reason;
    bool taken = false;
    const char first = in.peek();
    (try_one<T>(in, first, value, taken, tried, reason), ...);
    if (taken) return;
    if (tried == 1) throw *reason;
    if (tried == 0 && first == '{' && json_kind<Variant> == 'o' && told_apart()) fail_by_tag(in);
    in.fail("fits none of the alternatives");
  }

  static void write(std::string& out, const Variant& value) {
    std::visit([&](const auto& one) { Codec<std::remove_cvref_t<decltype(one)>>::write(out, one); },
               value);
  }

 private:
  static constexpr bool told_apart() {
    constexpr std::array<char, kCount> kinds = {json_kind<T>...};
    constexpr std::array<Tag, kCount> tags = {tag_of<T>()...};
    for (std::size_t i = 0; i < kCount; ++i) {
      for (std::size_t k = i + 1; k < kCount; ++k) {
        const bool by_kind = kinds[i] != kinds[k] && kinds[i] != '*' && kinds[k] != '*';
        const bool by_tag =
            !tags[i].name.empty() && tags[i].name == tags[k].name && tags[i].text != tags[k].text;
        if (!by_kind && !by_tag) return false;
      }
    }
    return true;
  }

  template <class One>
  static void one_schema(std::string& out, int depth) {
    if (out.back() != '[') out += ',';
    out += '{';
    Codec<One>::schema(out, depth + 1);
    out += '}';
  }

  template <class One>
  static void try_one(Reader& in, char first, Variant& value, bool& taken, std::size_t& tried,
                      std::optional<Error>& reason) {
    if (taken || !may_begin(first, json_kind<One>)) return;
    constexpr Tag tag = tag_of<One>();
    if (!tag.name.empty() && tag_in(in, tag.name) != tag.text) return;
    ++tried;
    Reader attempt = in;
    try {
      One read{};
      Codec<One>::read(attempt, read);
      value = std::move(read);
      in = attempt;
      taken = true;
    } catch (const Error& error) {
      reason = error;
    }
  }

  [[noreturn]] static void fail_by_tag(const Reader& in) {
    constexpr std::array<Tag, kCount> tags = {tag_of<T>()...};
    std::string known;
    for (const Tag& tag : tags) known.append(known.empty() ? "\"" : ", \"").append(tag.text) += '"';
    in.fail_member(tags[0].name, "is none of " + known);
  }
};

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
