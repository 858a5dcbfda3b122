// fields.hpp turns plain structs into JSON objects: one description of a type gives its JSON
// Schema, its reader and its writer. The SDK gets the names of the members of a struct from the
// compiler. For members with descriptions, see field.hpp. TOOLPOST_FIELDS lists the members by
// hand, for JSON names that are not C++ names, for structs that are not aggregates because of their
// functions, and for older compilers. TOOLPOST_FIELDS(S, ...) belongs into the struct S, and lists
// each member of S, for example as TOOLPOST_FIELD(days, "How many days", toolpost::minimum(1)).
//
// A field is required if its initial value is its type's zero: 0, false, "", an empty list, the
// enumerator with the value 0. If zero is the default of a field that is not required, mark the
// field with toolpost::defaulted. A std::optional is never required.
//
// If a struct is used for arguments or settings, members that are not its fields are refused. If
// TOOLPOST_FIELDS contains toolpost::additional_properties, members that are not fields are
// skipped.
//
// Field types: bool, integers, float, double, std::string, Json, enums (TOOLPOST_ENUM), structs
// like this one, Literal, and std::optional, std::vector, std::array, std::set, std::variant,
// std::map<std::string, T> and std::unordered_map<std::string, T> of them.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "toolpost/detail/codec.hpp"
#include "toolpost/detail/constraint.hpp"
#include "toolpost/detail/field.hpp"
#include "toolpost/detail/members.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {
class Fields;
}

// Use TOOLPOST_FIELDS inside a struct, after the struct's fields. A struct with TOOLPOST_FIELDS
// stays an aggregate.
#define TOOLPOST_FIELDS(Type, ...)                                                                \
  using toolpost_self = Type;                                                                     \
  static void toolpost_fields(::toolpost::detail::Fields& toolpost_to, const Type& toolpost_of) { \
    ::toolpost::detail::describe_fields(toolpost_to, &toolpost_of, {__VA_ARGS__});                \
  }
// TOOLPOST_FIELD(member, "Description", constraints...). Every argument of TOOLPOST_FIELD except
// the member is optional.
#define TOOLPOST_FIELD(member, ...) TOOLPOST_FIELD_AS(member, #member, __VA_ARGS__)
// TOOLPOST_FIELD_AS works like TOOLPOST_FIELD, for a JSON name that differs from the C++ name:
// TOOLPOST_FIELD_AS(klass, "class", ...).
#define TOOLPOST_FIELD_AS(member, name, ...)                                                      \
  {                                                                                               \
    name, &toolpost_of.member, &::toolpost::detail::type_info<decltype(toolpost_self::member)>, { \
      __VA_ARGS__                                                                                 \
    }                                                                                             \
  }
// Use TOOLPOST_ENUM in the enum's namespace: TOOLPOST_ENUM(Unit, TOOLPOST_VALUE(celsius),
// TOOLPOST_VALUE(fahrenheit))
#define TOOLPOST_ENUM(Type, ...)                          \
  [[maybe_unused]] constexpr auto toolpost_values(Type) { \
    using toolpost_self = Type;                           \
    return ::std::array{__VA_ARGS__};                     \
  }
// TOOLPOST_VALUE(enumerator, "Description"). If the values of the enum have descriptions, the
// schema contains the descriptions.
#define TOOLPOST_VALUE(enumerator, ...) TOOLPOST_VALUE_AS(enumerator, #enumerator, __VA_ARGS__)
#define TOOLPOST_VALUE_AS(enumerator, name, ...)               \
  ::toolpost::EnumValue<toolpost_self> {                       \
    name, toolpost_self::enumerator __VA_OPT__(, ) __VA_ARGS__ \
  }

namespace detail {

template <class T>
inline constexpr bool is_literal = false;
template <FixedText Text>
inline constexpr bool is_literal<Literal<Text>> = true;

template <class T>
concept Listed = requires(Fields& fields, const T& object) {
  T::toolpost_fields(fields, object);
};
template <class T>
concept TupleLike = requires {
  std::tuple_size<T>::value;
};
// Plain is a struct without TOOLPOST_FIELDS. The SDK gets the names of the members of a Plain
// struct from the compiler.
template <class T>
concept Plain = std::is_class_v<T> && std::is_aggregate_v<T> &&
                std::is_default_constructible_v<T> && !Listed<T> &&
                !TupleLike<T> && !is_literal<T> && !std::same_as<T, Json>;
}  // namespace detail

template <class T>
concept Described = detail::Listed<T> || detail::Plain<T>;

namespace detail {

// json_kind is the JSON type of a C++ type: o(bject), a(rray), s(tring), n(umber), b(oolean), 0
// (null), * (any).
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
template <class T>
inline constexpr char json_kind<std::vector<T>> = 'a';
template <SetLike T>
inline constexpr char json_kind<T> = 'a';
template <class T, std::size_t N>
inline constexpr char json_kind<std::array<T, N>> = 'a';
template <Described T>
inline constexpr char json_kind<T> = 'o';
template <MapLike T>
inline constexpr char json_kind<T> = 'o';

// A TypeInfo contains pointers to the functions that handle values of one type. Fields of the same
// type share one TypeInfo.
struct TypeInfo {
  void (*schema)(std::string& out, SchemaScope at);
  void (*read)(Reader& in, void* value);
  void (*write)(std::string& out, const void* value);
  void (*write_zero)(std::string& out);  // writes T{}; null: T is a std::optional
  bool (*present)(const void* value);    // null: a value is always present
  std::string_view literal;              // text of a Literal; otherwise empty
};

template <class T>
struct TypeFunctions {
  static void read(Reader& in, void* value) { Codec<T>::read(in, *static_cast<T*>(value)); }
  static void write(std::string& out, const void* value) {
    Codec<T>::write(out, *static_cast<const T*>(value));
  }
  static constexpr TypeInfo info() {
    TypeInfo info = {&Codec<T>::schema, &read, &write, nullptr, nullptr, {}};
    if constexpr (is_optional<T>) {
      info.present = [](const void* value) { return static_cast<const T*>(value)->has_value(); };
    } else {
      info.write_zero = [](std::string& out) { Codec<T>::write(out, T{}); };
    }
    if constexpr (is_literal<T>) info.literal = T::text;
    return info;
  }
};
template <class T>
inline constexpr TypeInfo type_info = TypeFunctions<T>::info();

// A FieldSpec is a field of a struct, as TOOLPOST_FIELD or the compiler describes it.
struct FieldSpec {
  std::string_view name;
  const void* member;                             // points to the member in one object
  const TypeInfo* type;                           // null: this entry is additional_properties
  std::initializer_list<Constraint> constraints;  // constraints, and the description
};

// A Tag is the first Literal member of a struct: the member's name and its text.
struct Tag {
  std::string_view name = {};
  std::string_view text = {};
  bool operator==(const Tag&) const = default;
};

// A Fields object describes the fields of one struct. A Fields object is made at its first use. Any
// thread can use a Fields object.
class Fields {
 public:
  // Makes a temporary T to read the default values of its fields.
  template <class T>
  static const Fields& of();

  // Writes the members of a schema object that the caller opens and closes.
  void schema(std::string& out, SchemaScope at) const;
  void read(Reader& in, void* object) const;
  void write(std::string& out, const void* object) const;
  Tag tag() const;
  std::string prompt_arguments() const;  // throws if the type of a field is not a text

 private:
  friend void describe_fields(Fields& to, const void* object,
                              std::initializer_list<FieldSpec> fields);
  struct Field {
    std::string_view name;
    std::string_view description;
    std::size_t offset;  // offset in the object, in bytes
    const TypeInfo* type;
    std::string constraints;  // schema members, each after a comma
    bool has_minimum;         // true: the constraints include a minimum
    // The default as JSON. `default_value` is empty if the field has no default.
    std::string default_value;

    bool required() const { return type->present == nullptr && default_value.empty(); }
    void property(std::string& out, SchemaScope at) const;
  };

  [[noreturn]] void fail_unknown(Reader& in, std::string_view name) const;

  std::vector<Field> fields_;
  bool additional_ = false;
};

void describe_fields(Fields& to, const void* object, std::initializer_list<FieldSpec> fields);

template <class M>
FieldSpec spec_of(std::string_view name, const M* member) {
  if constexpr (requires { typename M::toolpost_type; }) {
    return {name, &member->get(), &type_info<typename M::toolpost_type>, M::constraints};
  } else if constexpr (std::same_as<M, AdditionalProperties>) {
    return {{}, nullptr, nullptr, {}};
  } else {
    return {name, member, &type_info<M>, {}};
  }
}

// Adds the fields of a struct without TOOLPOST_FIELDS.
template <class T, std::size_t... I>
void describe_members(Fields& to, const T& of, std::index_sequence<I...>) {
  [[maybe_unused]] const auto members = member_pointers(of);
  describe_fields(to, &of, {spec_of(member_name<T, I>(), std::get<I>(members))...});
}

template <class T>
const Fields& Fields::of() {
  static const Fields fields = [] {
    Fields made;
    if constexpr (Listed<T>) {
      T::toolpost_fields(made, T{});
    } else {
      describe_members(made, T{}, std::make_index_sequence<count_members<T>()>());
    }
    return made;
  }();
  return fields;
}

template <Described T>
struct Codec<T> {
  static void schema(std::string& out, SchemaScope at) { Fields::of<T>().schema(out, at); }
  static void read(Reader& in, T& value) { Fields::of<T>().read(in, &value); }
  static void write(std::string& out, const T& value) { Fields::of<T>().write(out, &value); }
};

// Returns the whole JSON Schema of a struct. The returned schema refuses unknown members, because
// in arguments and settings these are misspelt names.
std::string schema_of(const Fields& fields);
std::string closed_schema_of(const Fields& fields);
// Reads one JSON object into a struct. read_object() reads an empty text as {}.
void read_object(const Fields& fields, std::string_view text, std::string_view what,
                 Unknown unknown, void* object);

template <Described T>
std::string schema_of() {
  return schema_of(Fields::of<T>());
}

template <Described T>
T read_object(std::string_view text, std::string_view what, Unknown unknown = Unknown::Skipped) {
  T value{};
  read_object(Fields::of<T>(), text, what, unknown, &value);
  return value;
}

}  // namespace detail

// If additional_properties is in the list of TOOLPOST_FIELDS, arguments that are not fields are
// skipped instead of refused.
inline constexpr detail::FieldSpec additional_properties{{}, nullptr, nullptr, {}};

}  // namespace v1
}  // namespace toolpost

#include "toolpost/detail/variant.hpp"
#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/fields.ipp"
#endif
