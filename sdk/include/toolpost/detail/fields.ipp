// The bodies of fields.hpp.
#pragma once

#include <stdexcept>

#include "toolpost/detail/fields.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

// `"keyword":` with a comma in front where another member stands there.
TOOLPOST_INLINE void write_member(std::string& out, std::string_view keyword) {
  if (out.back() != '{') out += ',';
  write_string(out, keyword);
  out += ':';
}

TOOLPOST_INLINE void write_value(std::string& out, const Constraint& constraint) {
  if (constraint.text.data() != nullptr) {
    write_string(out, constraint.text);
  } else if (constraint.truth) {
    out += constraint.number != 0 ? "true" : "false";
  } else {
    write_number(out, constraint.number);
  }
}

// Several examples make one list.
TOOLPOST_INLINE std::string written(std::initializer_list<Constraint> constraints) {
  using Kind = Constraint::Kind;
  std::string out;
  std::string examples;
  for (const Constraint& constraint : constraints) {
    if (constraint.kind == Kind::Example) {
      if (!examples.empty()) examples += ',';
      write_value(examples, constraint);
    } else if (constraint.kind == Kind::Number || constraint.kind == Kind::Text) {
      out += ',';
      write_string(out, constraint.keyword);
      out += ':';
      write_value(out, constraint);
    }
  }
  if (!examples.empty()) out += R"(,"examples":[)" + examples + ']';
  return out;
}

// The default that a field's initialiser gives. One that is its type's zero counts where the author
// says so.
TOOLPOST_INLINE std::string default_of(const FieldSpec& field) {
  std::string value;
  const TypeInfo& type = *field.type;
  if (type.present != nullptr && !type.present(field.member)) return value;
  type.write(value, field.member);
  if (type.present != nullptr) return value;
  for (const Constraint& constraint : field.constraints) {
    if (constraint.kind == Constraint::Kind::Optional) return value;
  }
  std::string zero;
  type.write_zero(zero);
  return value == zero ? std::string() : value;
}

TOOLPOST_INLINE void describe_fields(Fields& to, const void* object,
                                     std::initializer_list<FieldSpec> fields) {
  to.fields_.reserve(fields.size());
  for (const FieldSpec& spec : fields) {
    const auto offset = static_cast<const char*>(spec.member) - static_cast<const char*>(object);
    Fields::Field& field = to.fields_.emplace_back();
    field.name = spec.name;
    field.offset = static_cast<std::size_t>(offset);
    field.type = spec.type;
    field.constraints = written(spec.constraints);
    field.default_value = default_of(spec);
    for (const Constraint& constraint : spec.constraints) {
      if (constraint.kind == Constraint::Kind::Description) field.description = constraint.text;
      field.has_minimum |= constraint.keyword == "minimum";
    }
  }
}

TOOLPOST_INLINE void Fields::Field::property(std::string& out, int depth) const {
  out += '{';
  type->schema(out, depth + 1);
  // That of an unsigned type, where the field has one of its own: a schema says it once.
  constexpr std::string_view kOwn = R"(,"minimum":0)";
  if (has_minimum && std::string_view(out).ends_with(kOwn)) out.resize(out.size() - kOwn.size());
  out.append(constraints, out.back() == '{' && !constraints.empty() ? 1 : 0);
  if (!description.empty()) write_member(out, "description"), write_string(out, description);
  if (!default_value.empty()) write_member(out, "default"), out += default_value;
  out += '}';
}

TOOLPOST_INLINE void Fields::schema(std::string& out, int depth) const {
  check_schema_depth(depth);
  std::string required;
  out += R"("type":"object","properties":{)";
  for (const Field& field : fields_) {
    if (out.back() != '{') out += ',';
    write_string(out, field.name);
    out += ':';
    field.property(out, depth);
    if (!field.required()) continue;
    required += required.empty() ? "" : ",";
    write_string(required, field.name);
  }
  out += '}';
  if (!required.empty()) out += R"(,"required":[)" + required + "]";
}

TOOLPOST_INLINE void Fields::read(Reader& in, void* object) const {
  std::vector<bool> seen(fields_.size());
  in.object([&](std::string_view key) {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const Field& field = fields_[i];
      if (field.name != key) continue;
      if (seen[i]) in.fail("appears twice");
      seen[i] = true;
      return field.type->read(in, static_cast<char*>(object) + field.offset);
    }
    in.any();
  });
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (!seen[i] && fields_[i].required()) in.fail_member(fields_[i].name, "is missing");
  }
}

TOOLPOST_INLINE void Fields::write(std::string& out, const void* object) const {
  out += '{';
  for (const Field& field : fields_) {
    const void* const member = static_cast<const char*>(object) + field.offset;
    if (field.type->present != nullptr && !field.type->present(member)) continue;
    if (out.back() != '{') out += ',';
    write_string(out, field.name);
    out += ':';
    field.type->write(out, member);
  }
  out += '}';
}

TOOLPOST_INLINE Tag Fields::tag() const {
  for (const Field& field : fields_) {
    if (field.type->literal.data() != nullptr) return {field.name, field.type->literal};
  }
  return {};
}

TOOLPOST_INLINE std::string Fields::prompt_arguments() const {
  const auto is_text = [](const Field& field) {
    return field.type == &type_info<std::string> ||
           field.type == &type_info<std::optional<std::string>>;
  };
  std::string out = "[";
  for (const Field& field : fields_) {
    if (!is_text(field)) throw std::logic_error("the arguments of a prompt are texts");
    if (out.back() != '[') out += ',';
    out += R"({"name":)";
    write_string(out, field.name);
    if (!field.description.empty()) {
      out += R"(,"description":)";
      write_string(out, field.description);
    }
    out += field.required() ? R"(,"required":true})" : "}";
  }
  return out + "]";
}

TOOLPOST_INLINE std::string schema_of(const Fields& fields) {
  std::string out = "{";
  fields.schema(out, 0);
  return out + "}";
}

TOOLPOST_INLINE std::string closed_schema_of(const Fields& fields) {
  std::string out = schema_of(fields);
  out.back() = ',';
  return out + R"("additionalProperties":false})";
}

TOOLPOST_INLINE void read_object(const Fields& fields, std::string_view text, std::string_view what,
                                 void* object) {
  Reader in(text.empty() ? "{}" : text, what);
  fields.read(in, object);
  in.end();
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
