#include "tool/definition/definition.h"

#include <algorithm>
#include <array>
#include <utility>

#include "json/fault.h"
#include "json/object_text.h"

namespace host::tool {
namespace {

constexpr std::string_view kRequest = "requestArgs";
constexpr std::string_view kResponse = "responseShape";
constexpr std::string_view kSessionRule =
    R"({"type":"string","description":"The session of this call. The host fills it in."})";
constexpr std::string_view kStateRule =
    R"({"type":"string","enum":["COMPLETE","FAILED","PENDING"]})";

// A member that the host adds to an object's schema, and that is always there.
struct Added {
  std::string_view name;
  std::string_view rule;
};
constexpr Added kAddedToRequest{kSessionId, kSessionRule};
constexpr Added kAddedToResponse{kState, kStateRule};

void add_property(json::Value& schema, const Added& added, json::Allocator& pool) {
  json::Value* properties = json::find(schema, "properties");
  if (!properties) {
    json::set(schema, "properties", json::Value(rapidjson::kObjectType), pool);
    properties = json::find(schema, "properties");
  }
  const json::Document rule = json::parse(added.rule).value();
  if (json::find(*properties, added.name)) properties->RemoveMember(json::string(added.name, pool));
  json::set(*properties, added.name, json::copy(rule.root(), pool), pool);
}

void add_required(json::Value& schema, const Added& added, json::Allocator& pool) {
  json::Value list(rapidjson::kArrayType);
  if (const json::Value* const given = json::find(schema, "required")) {
    for (const json::Value& name : given->GetArray()) {
      if (json::text(name) != added.name) list.PushBack(json::copy(name, pool), pool);
    }
  }
  list.PushBack(json::string(added.name, pool), pool);
  json::set(schema, "required", std::move(list), pool);
}

bool is_list_of_texts(const json::Value& value) {
  if (!value.IsArray()) return false;
  for (const json::Value& each : value.GetArray()) {
    if (!each.IsString()) return false;
  }
  return true;
}

Result<void> check_shape(const json::Value& shape, const std::string& pointer) {
  if (!shape.IsObject()) return json::fault_at(pointer, "expected an object");
  const json::Value* const type = json::find(shape, "type");
  if (type && json::text(*type) != "object") {
    return json::fault_at(json::child_of(pointer, "type"),
                          "must be \"object\", which is also what it is if it is left out");
  }
  const json::Value* const properties = json::find(shape, "properties");
  if (!properties) return json::fault_at(json::child_of(pointer, "properties"), "is missing");
  if (!properties->IsObject()) {
    return json::fault_at(json::child_of(pointer, "properties"),
                          "expected an object: a JSON Schema for each name");
  }
  const json::Value* const required = json::find(shape, "required");
  if (required && !is_list_of_texts(*required)) {
    return json::fault_at(json::child_of(pointer, "required"), "expected an array of strings");
  }
  return {};
}

Result<std::string> schema_of(const json::Value& definition, std::string_view member,
                              const Added& added, std::string_view pointer) {
  const std::string place = json::child_of(pointer, member);
  const json::Value* const shape = json::find(definition, member);
  if (!shape) return json::fault_at(place, "is missing");
  HOST_TRY(check_shape(*shape, place));
  json::Document schema;
  json::Allocator& pool = schema.allocator();
  schema.root() = json::copy(*shape, pool);
  json::set(schema.root(), "type", json::string("object", pool), pool);
  add_property(schema.root(), added, pool);
  add_required(schema.root(), added, pool);
  return json::write(schema.root());
}

Result<std::string> text_of(const json::Value& definition, std::string_view member,
                            std::string_view pointer) {
  const std::string place = json::child_of(pointer, member);
  const json::Value* const text = json::find(definition, member);
  if (!text) return json::fault_at(place, "is missing");
  if (!text->IsString()) return json::fault_at(place, "expected a string");
  return std::string(json::text(*text));
}

Result<void> check_members(const json::Value& definition, std::string_view pointer) {
  constexpr std::array kKnown = {std::string_view("name"), std::string_view("description"),
                                 kRequest, kResponse};
  for (const auto& member : definition.GetObject()) {
    const std::string_view name = json::text(member.name);
    if (std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end()) continue;
    return json::fault_at(name.size() > 80 ? std::string(pointer) : json::child_of(pointer, name),
                          "unknown member: a tool has name, description, requestArgs and "
                          "responseShape");
  }
  return {};
}

// The schema as a definition shows it: it is always an object's.
std::string shape_of(std::string_view schema_text, const Added& added) {
  json::Document schema;
  json::Allocator& pool = schema.allocator();
  auto parsed = json::parse(schema_text.empty() ? "{}" : schema_text);
  json::Value& root = schema.root();
  root = parsed && parsed->root().IsObject() ? json::copy(parsed->root(), pool)
                                             : json::Value(rapidjson::kObjectType);
  const json::Value* const required = json::find(root, "required");
  if (required && !is_list_of_texts(*required)) root.RemoveMember("required");
  if (const json::Value* const given = json::find(root, "properties"); given && !given->IsObject())
    root.RemoveMember("properties");
  add_property(root, added, pool);
  add_required(root, added, pool);
  if (json::find_text(root, "type") == "object") root.RemoveMember("type");
  return json::write(root);
}

}  // namespace

Result<Declaration> declaration_of(const json::Value& definition, std::string_view pointer) {
  if (!definition.IsObject()) {
    return json::fault_at(pointer,
                          "expected an object {name, description, requestArgs, responseShape}");
  }
  HOST_TRY(check_members(definition, pointer));
  Declaration declared;
  HOST_TRY_ASSIGN(declared.name, text_of(definition, "name", pointer));
  HOST_TRY_ASSIGN(declared.description, text_of(definition, "description", pointer));
  HOST_TRY_ASSIGN(declared.input_schema, schema_of(definition, kRequest, kAddedToRequest, pointer));
  HOST_TRY_ASSIGN(declared.output_schema,
                  schema_of(definition, kResponse, kAddedToResponse, pointer));
  return declared;
}

std::string definition_of(const Tool& tool) {
  std::string out = "{";
  json::add_text(out, "name", tool.name());
  json::add_text(out, "description", tool.declared().description);
  json::add_member(out, kRequest, shape_of(tool.shown_input(), kAddedToRequest));
  json::add_member(out, kResponse, shape_of(tool.declared().output_schema, kAddedToResponse));
  return out + "}";
}

}  // namespace host::tool
