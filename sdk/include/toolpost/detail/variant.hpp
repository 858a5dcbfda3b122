// variant.hpp defines fields that have one of several types. The schema of a variant has oneOf if
// each type is a struct with a Literal member, or if the JSON types differ. The schema of any other
// variant has anyOf. The reader uses the first alternative that matches.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "toolpost/detail/fields.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

template <>
struct Codec<std::monostate> {
  static void schema(std::string& out, SchemaScope) { out += R"("type":"null")"; }
  static void read(Reader& in, std::monostate&) {
    if (!in.null()) in.fail("is not null");
  }
  static void write(std::string& out, std::monostate) { out += "null"; }
};

template <>
inline constexpr char json_kind<std::monostate> = '0';
// If all alternatives of a variant have the same JSON type, the variant has this type too.
template <class First, class... Rest>
inline constexpr char json_kind<std::variant<First, Rest...>> =
    ((json_kind<Rest> == json_kind<First>)&&...) ? json_kind<First> : '*';

// Returns true if a JSON value of this kind may begin with `first`.
bool may_begin(char first, char kind);

template <class T>
Tag tag_of() {
  if constexpr (Described<T>) {
    return Fields::of<T>().tag();
  } else {
    return {};
  }
}

// An Alternative is one alternative of a variant.
struct Alternative {
  char kind;
  Tag tag;
};
// Returns true if the JSON of a value determines the alternative to which the value belongs.
bool told_apart(const Alternative* alternatives, std::size_t count);
// Returns the member `name` of the next value, if the member is a text.
std::string tag_in(Reader in, std::string_view name);
[[noreturn]] void fail_by_tag(const Reader& in, const Alternative* alternatives, std::size_t count);

template <class... T>
struct Codec<std::variant<T...>> {
  using Variant = std::variant<T...>;
  static constexpr std::size_t kCount = sizeof...(T);

  static void schema(std::string& out, SchemaScope at) {
    check_schema_depth(at);
    if (json_kind<Variant> == 'o') out += R"("type":"object",)";
    out += distinct() ? R"("oneOf":[)" : R"("anyOf":[)";
    (one_schema<T>(out, at), ...);
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
    if (tried == 0 && first == '{' && json_kind<Variant> == 'o' && distinct())
      fail_by_tag(in, alternatives().data(), kCount);
    in.fail("fits none of the alternatives");
  }

  static void write(std::string& out, const Variant& value) {
    std::visit([&](const auto& one) { Codec<std::remove_cvref_t<decltype(one)>>::write(out, one); },
               value);
  }

 private:
  static std::array<Alternative, kCount> alternatives() {
    return {Alternative{json_kind<T>, tag_of<T>()}...};
  }
  static bool distinct() { return told_apart(alternatives().data(), kCount); }

  template <class One>
  static void one_schema(std::string& out, SchemaScope at) {
    if (out.back() != '[') out += ',';
    out += '{';
    Codec<One>::schema(out, at.inner());
    out += '}';
  }

  template <class One>
  static void try_one(Reader& in, char first, Variant& value, bool& taken, std::size_t& tried,
                      std::optional<Error>& reason) {
    if (taken || !may_begin(first, json_kind<One>)) return;
    const Tag tag = tag_of<One>();
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
};

}  // namespace detail
}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/variant.ipp"
#endif
