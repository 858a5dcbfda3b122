#include "router/arguments.h"

#include <string>
#include <vector>

namespace host::router {
namespace {

constexpr int kMaxReferences = 64;  // a chain longer than this goes round in circles

// Harness members that travel among the arguments. Neither is offered by this host yet, and
// dropping them silently would break what their sender relies on.
constexpr std::string_view kReserved[] = {"idempotency_key", "attachments"};

std::optional<tool::CallResult> refuse_reserved(const json::Value& arguments,
                                                const tool::Tool& tool) {
  for (const std::string_view name : kReserved) {
    if (json::find(arguments, name) && !tool.declares_argument(name)) {
      return tool::CallResult::error("/" + std::string(name) + ": this host does not offer " +
                                     std::string(name) + " yet; call again without it");
    }
  }
  return std::nullopt;
}

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

std::optional<tool::CallResult> Arguments::prepare(tool::Call& call, const tool::Tool& tool) const {
  json::Value& arguments = call.arguments.root();
  if (arguments.IsNull()) arguments.SetObject();
  if (auto refusal = refuse_reserved(arguments, tool)) return refusal;
  if (holds_null(arguments)) drop_optional_nulls(arguments, tool.input_tree(), tool.input_tree());
  if (const json::Value* presets = tool.presets()) {
    for (const auto& preset : presets->GetObject()) {
      json::Value copy(preset.value, call.arguments.allocator());
      json::set(arguments, json::text(preset.name), std::move(copy), call.arguments.allocator());
    }
  }
  std::vector<json::schema::Violation> violations;
  if (tool.input().validate(arguments, violations)) {
    call.arguments_text = json::write(arguments);
    return std::nullopt;
  }
  call.outcome = tool::kBadArguments;
  return tool::CallResult::error("Invalid arguments for \"" + tool.name() + "\":\n" +
                                 json::schema::describe(violations) +
                                 "\nCorrect them and call again.");
}

}  // namespace host::router
