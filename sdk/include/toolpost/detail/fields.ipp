// The bodies of fields.hpp.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "toolpost/detail/fields.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

// Writes `"keyword":`, after a comma if there is a previous member.
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

// Writes the constraints as schema members. Several examples become one JSON array.
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

// The default of a field: its initial value. If the initial value is the zero of the type (0,
// false, ""), it is the default only with `defaulted`.
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
    if (spec.type == nullptr) {
      to.additional_ = true;
      continue;
    }
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

TOOLPOST_INLINE void Fields::Field::property(std::string& out, SchemaScope at) const {
  out += '{';
  type->schema(out, at.inner());
  // Removes the minimum 0 of an unsigned type if the field has its own minimum.
  constexpr std::string_view kOwn = R"(,"minimum":0)";
  if (has_minimum && std::string_view(out).ends_with(kOwn)) out.resize(out.size() - kOwn.size());
  out.append(constraints, out.back() == '{' && !constraints.empty() ? 1 : 0);
  if (!description.empty()) write_member(out, "description"), write_string(out, description);
  if (!default_value.empty()) write_member(out, "default"), out += default_value;
  out += '}';
}

TOOLPOST_INLINE void Fields::schema(std::string& out, SchemaScope at) const {
  check_schema_depth(at);
  std::string required;
  out += R"("type":"object","properties":{)";
  for (const Field& field : fields_) {
    if (out.back() != '{') out += ',';
    write_string(out, field.name);
    out += ':';
    field.property(out, at);
    if (!field.required()) continue;
    required += required.empty() ? "" : ",";
    write_string(required, field.name);
  }
  out += '}';
  if (!required.empty()) out += R"(,"required":[)" + required + "]";
  if (at.closed && !additional_) out += R"(,"additionalProperties":false)";
}

// The number of letters to change, add or remove to turn one word into the other.
TOOLPOST_INLINE std::size_t letters_apart(std::string_view one, std::string_view two) {
  std::vector<std::size_t> row(two.size() + 1);
  for (std::size_t k = 0; k <= two.size(); ++k) row[k] = k;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t k = 1; k <= two.size(); ++k) {
      const std::size_t changed = diagonal + (one[i - 1] == two[k - 1] ? 0 : 1);
      diagonal = row[k];
      row[k] = std::min({changed, row[k] + 1, row[k - 1] + 1});
    }
  }
  return row[two.size()];
}

TOOLPOST_INLINE void Fields::fail_unknown(Reader& in, std::string_view name) const {
  constexpr std::size_t kLongestName = 64;
  std::string_view near;
  std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const Field& field : fields_) {
    if (name.size() > kLongestName || field.name.size() > kLongestName) continue;
    const std::size_t apart = letters_apart(name, field.name);
    if (apart >= least || apart >= field.name.size()) continue;
    least = apart;
    near = field.name;
  }
  in.fail("is not known" + (near.empty() ? "" : ": did you mean \"" + std::string(near) + "\"?"));
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
    if (in.refuses_unknown() && !additional_) fail_unknown(in, key);
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
  fields.schema(out, {});
  return out + "}";
}

TOOLPOST_INLINE std::string closed_schema_of(const Fields& fields) {
  std::string out = "{";
  fields.schema(out, {.closed = true});
  return out + "}";
}

TOOLPOST_INLINE void read_object(const Fields& fields, std::string_view text, std::string_view what,
                                 Unknown unknown, void* object) {
  Reader in(text.empty() ? "{}" : text, what, unknown);
  fields.read(in, object);
  in.end();
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
