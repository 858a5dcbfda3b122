// The bodies of codec.hpp.
#pragma once

#include <stdexcept>

#include "toolpost/detail/codec.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

TOOLPOST_INLINE void check_schema_depth(SchemaScope at) {
  if (at.depth > 32)
    throw std::logic_error("a type that contains itself has no schema here: use Json");
}

TOOLPOST_INLINE void Codec<bool>::schema(std::string& out, SchemaScope) {
  out += R"("type":"boolean")";
}
TOOLPOST_INLINE void Codec<bool>::read(Reader& in, bool& value) {
  value = in.boolean();
}
TOOLPOST_INLINE void Codec<bool>::write(std::string& out, bool value) {
  out += value ? "true" : "false";
}

TOOLPOST_INLINE void Codec<std::string>::schema(std::string& out, SchemaScope) {
  out += R"("type":"string")";
}
TOOLPOST_INLINE void Codec<std::string>::read(Reader& in, std::string& value) {
  value = in.string();
}
TOOLPOST_INLINE void Codec<std::string>::write(std::string& out, const std::string& value) {
  write_string(out, value);
}

TOOLPOST_INLINE void Codec<Json>::read(Reader& in, Json& value) {
  value.text = in.any();
}
TOOLPOST_INLINE void Codec<Json>::write(std::string& out, const Json& value) {
  out += value.text;
}

TOOLPOST_INLINE void EnumNames::schema(std::string& out) const {
  bool described = false;
  for (std::size_t i = 0; i < count; ++i) described |= !descriptions[i].empty();
  out += described ? R"("type":"string","oneOf":[)" : R"("type":"string","enum":[)";
  for (std::size_t i = 0; i < count; ++i) {
    if (out.back() != '[') out += ',';
    if (!described) {
      write_string(out, names[i]);
      continue;
    }
    out += R"({"const":)";
    write_string(out, names[i]);
    if (!descriptions[i].empty()) {
      out += R"(,"description":)";
      write_string(out, descriptions[i]);
    }
    out += '}';
  }
  out += ']';
}

TOOLPOST_INLINE std::size_t EnumNames::read(Reader& in) const {
  const std::string name = in.string();
  for (std::size_t i = 0; i < count; ++i) {
    if (names[i] == name) return i;
  }
  in.fail("is none of the known values");
}

TOOLPOST_INLINE void EnumNames::write(std::string& out, std::size_t index) const {
  if (index >= count) throw std::domain_error("an enum has a value without a name");
  write_string(out, names[index]);
}

TOOLPOST_INLINE void fixed_text_schema(std::string& out, std::string_view text) {
  out += R"("type":"string","const":)";
  write_string(out, text);
}

TOOLPOST_INLINE void read_fixed_text(Reader& in, std::string_view text) {
  if (in.string() != text) in.fail("is not \"" + std::string(text) + "\"");
}

TOOLPOST_INLINE void element_schema(std::string& out, SchemaScope at, bool optional,
                                    FunctionRef<void(std::string& out, SchemaScope at)> schema) {
  check_schema_depth(at);
  if (!optional) return schema(out, at.inner());
  out += R"("anyOf":[{)";
  schema(out, at.inner());
  out += R"(},{"type":"null"}])";
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
