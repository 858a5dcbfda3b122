#include "tool/definition/input_rules.h"

#include <vector>

namespace host::tool {
namespace {

constexpr int kMaxReferences = 64;  // a chain longer than this goes round in circles

// Members that only the caller gives, in addition to the arguments. A reviewer who writes other
// arguments cannot change them, and must be told so.
constexpr std::string_view kReserved[] = {"attachments"};

bool holds_null(const json::Value& value) {
  if (value.IsNull()) return true;
  if (value.IsObject()) {
    for (const auto& member : value.GetObject()) {
      if (holds_null(member.value)) return true;
    }
  } else if (value.IsArray()) {
    for (const auto& item : value.GetArray()) {
      if (holds_null(item)) return true;
    }
  }
  return false;
}

const json::Value* follow_references(const json::Value* schema, const json::Value& root) {
  for (int i = 0; schema && i < kMaxReferences; ++i) {
    const std::string_view reference = json::find_text(*schema, "$ref");
    if (!reference.starts_with('#')) return schema;
    schema = json::at(root, reference.substr(1));
  }
  return nullptr;
}

bool requires_member(const json::Value& schema, std::string_view name) {
  const json::Value* required = json::find(schema, "required");
  if (!required || !required->IsArray()) return false;
  for (const auto& item : required->GetArray()) {
    if (json::text(item) == name) return true;
  }
  return false;
}

void drop_in_object(json::Value& object, const json::Value& schema, const json::Value& root) {
  const json::Value* properties = json::find(schema, "properties");
  const json::Value* additional = json::find(schema, "additionalProperties");
  for (auto member = object.MemberBegin(); member != object.MemberEnd();) {
    const std::string_view name = json::text(member->name);
    const json::Value* declared = properties ? json::find(*properties, name) : nullptr;
    if (member->value.IsNull() && declared && !requires_member(schema, name)) {
      member = object.EraseMember(member);
      continue;
    }
    const json::Value* inner = declared ? declared : additional;
    if (inner) drop_optional_nulls(member->value, *inner, root);
    ++member;
  }
}

}  // namespace

void drop_optional_nulls(json::Value& value, const json::Value& schema,
                         const json::Value& root_schema) {
  const json::Value* const at = follow_references(&schema, root_schema);
  if (!at || !at->IsObject()) return;
  if (value.IsObject()) {
    drop_in_object(value, *at, root_schema);
  } else if (value.IsArray()) {
    const json::Value* items = json::find(*at, "items");
    if (!items) return;
    for (auto& item : value.GetArray()) drop_optional_nulls(item, *items, root_schema);
  }
}

std::optional<std::string> reserved_member(const json::Value& arguments,
                                           const json::Value* properties) {
  for (const std::string_view name : kReserved) {
    const bool declared = properties && json::find(*properties, name);
    if (json::find(arguments, name) && !declared) {
      return "/" + std::string(name) + ": only the caller can give " + std::string(name) +
             "; they stay as they are. Leave it out";
    }
  }
  return std::nullopt;
}

std::optional<std::string> fit(json::Document& arguments, const InputRules& rules) {
  json::Value& root = arguments.root();
  if (holds_null(root)) drop_optional_nulls(root, rules.tree, rules.tree);
  if (rules.presets) {
    for (const auto& preset : rules.presets->GetObject()) {
      json::Value copy(preset.value, arguments.allocator());
      json::set(root, json::text(preset.name), std::move(copy), arguments.allocator());
    }
  }
  std::vector<json::schema::Violation> violations;
  if (rules.schema.validate(root, violations)) return std::nullopt;
  return json::schema::describe(violations);
}

}  // namespace host::tool
