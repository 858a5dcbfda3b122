#include "tool/definition/extension.h"

#include <algorithm>
#include <iterator>

#include "json/json.h"

namespace host::tool {
namespace {

constexpr std::string_view kProperties = "properties";
constexpr std::string_view kRequired = "required";
constexpr std::string_view kDefinitions = "$defs";
// The members of these keywords' values are names, with schemas.
constexpr std::string_view kMaps[] = {kProperties, "patternProperties", kDefinitions, "definitions",
                                      "dependentSchemas"};
// The host takes these members out of a call, unless the tool itself declares them.
constexpr std::string_view kTakenOut[] = {"attachments", "idempotency_key"};

Error bad(std::string why) {
  return Error{ErrorKind::InvalidArgument, std::move(why)};
}

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text.substr(0, 80)) + "\"";
}

// The member as an object, made if it is missing. nullptr: it is of another type.
json::Value* ensure_object(json::Document& schema, std::string_view name) {
  if (!json::find(schema.root(), name)) {
    json::Value empty(rapidjson::kObjectType);
    json::set(schema.root(), name, std::move(empty), schema.allocator());
  }
  json::Value* const member = json::find(schema.root(), name);
  return member->IsObject() ? member : nullptr;
}

Result<void> add_properties(json::Document& schema, const json::Value& added) {
  json::Value* const properties = ensure_object(schema, kProperties);
  if (!properties || !added.IsObject()) return bad("\"properties\" must be an object of schemas");
  for (const auto& member : added.GetObject()) {
    const std::string_view name = json::text(member.name);
    if (json::find(*properties, name))
      return bad("cannot add the argument " + in_quotes(name) + ", which the tool itself declares");
    if (std::find(std::begin(kTakenOut), std::end(kTakenOut), name) != std::end(kTakenOut))
      return bad("cannot add the argument " + in_quotes(name) + ", which is reserved for the host");
    json::set(*properties, name, json::copy(member.value, schema.allocator()), schema.allocator());
  }
  return {};
}

Result<void> add_required(json::Document& schema, const json::Value& added) {
  if (!added.IsArray()) return bad("\"required\" must be an array of arguments");
  if (!json::find(schema.root(), kRequired)) {
    json::Value empty(rapidjson::kArrayType);
    json::set(schema.root(), kRequired, std::move(empty), schema.allocator());
  }
  json::Value* const required = json::find(schema.root(), kRequired);
  if (!required->IsArray()) return bad("\"required\" of the tool's schema is no array");
  const json::Value* const properties = json::find(schema.root(), kProperties);
  for (const auto& item : added.GetArray()) {
    if (!item.IsString() || !properties || !json::find(*properties, json::text(item)))
      return bad("\"required\" names " +
                 (item.IsString() ? in_quotes(json::text(item)) : "no text") +
                 ", which is no argument");
    const bool known = std::any_of(required->Begin(), required->End(), [&](const auto& one) {
      return json::text(one) == json::text(item);
    });
    if (!known) required->PushBack(json::copy(item, schema.allocator()), schema.allocator());
  }
  return {};
}

Result<void> add_definitions(json::Document& schema, const json::Value& added) {
  json::Value* const definitions = ensure_object(schema, kDefinitions);
  if (!definitions || !added.IsObject()) return bad("\"$defs\" must be an object of schemas");
  for (const auto& member : added.GetObject()) {
    const std::string_view name = json::text(member.name);
    const json::Value* const own = json::find(*definitions, name);
    if (own && *own != member.value)
      return bad("the tool's schema defines " + in_quotes(name) + " otherwise in \"$defs\"");
    if (own) continue;
    json::set(*definitions, name, json::copy(member.value, schema.allocator()), schema.allocator());
  }
  return {};
}

// These keywords give a schema a name of its own. References of the tool's own schema could then
// lead to the added schema.
constexpr std::string_view kNaming[] = {
    "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$schema", "$vocabulary"};
// The values of these keywords are no schemas.
constexpr std::string_view kData[] = {"const", "default", "enum", "examples"};

bool is_in(std::string_view name, const auto& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// `is_map`: the members of `schema` are names of the author's, with schemas.
Result<void> names_nothing(const json::Value& schema, bool is_map) {
  if (schema.IsArray()) {
    for (const json::Value& one : schema.GetArray()) HOST_TRY(names_nothing(one, false));
  }
  if (!schema.IsObject()) return {};
  for (const auto& member : schema.GetObject()) {
    const std::string_view name = json::text(member.name);
    if (!is_map && is_in(name, kNaming))
      return bad("must not use " + in_quotes(name) + " in an added schema");
    if (!is_map && is_in(name, kData)) continue;
    const bool has_names = !is_map && is_in(name, kMaps);
    HOST_TRY(names_nothing(member.value, has_names));
  }
  return {};
}

bool allows_more(const json::Value& schema) {
  const auto is_open = [&](std::string_view keyword) {
    const json::Value* const rule = json::find(schema, keyword);
    return !rule || rule->IsTrue();
  };
  return is_open("additionalProperties") && is_open("unevaluatedProperties");
}

Result<json::Document> object_in(std::string_view text, std::string_view what) {
  auto tree = json::parse(text.empty() ? "{}" : text);
  if (!tree || !tree->root().IsObject()) return bad(std::string(what) + " must be a JSON object");
  return tree;
}

}  // namespace

Result<void> extend(Declaration& declaration, std::string_view extension) {
  HOST_TRY_ASSIGN(json::Document schema, object_in(declaration.input_schema, "the input schema"));
  HOST_TRY_ASSIGN(const json::Document more, object_in(extension, "the extension"));
  const bool open = allows_more(schema.root());
  for (const auto& member : more.root().GetObject()) {
    const std::string_view name = json::text(member.name);
    if (name != kProperties && name != kRequired && name != kDefinitions)
      return bad("has " + in_quotes(name) + ": expected properties, required or $defs");
  }
  HOST_TRY(names_nothing(more.root(), false));
  const json::Value* const properties = json::find(more.root(), kProperties);
  if (properties) HOST_TRY(add_properties(schema, *properties));
  if (const json::Value* const required = json::find(more.root(), kRequired))
    HOST_TRY(add_required(schema, *required));
  if (const json::Value* const definitions = json::find(more.root(), kDefinitions))
    HOST_TRY(add_definitions(schema, *definitions));
  if (properties && !open) {
    for (const auto& member : properties->GetObject())
      declaration.withheld.emplace_back(json::text(member.name));
  }
  declaration.input_schema = json::write(schema.root());
  return {};
}

Result<std::string> changed_presets(const std::string& presets, const std::string& changes) {
  if (changes.empty()) return presets;
  HOST_TRY_ASSIGN(json::Document merged, object_in(presets, "presets"));
  HOST_TRY_ASSIGN(const json::Document changed, object_in(changes, "presets"));
  for (const auto& member : changed.root().GetObject()) {
    json::set(merged.root(), json::text(member.name), json::copy(member.value, merged.allocator()),
              merged.allocator());
  }
  return json::write(merged.root());
}

Result<std::string> added_presets(const std::string& presets, const std::string& more) {
  if (more.empty()) return presets;
  HOST_TRY_ASSIGN(const json::Document fixed, object_in(presets, "presets"));
  HOST_TRY_ASSIGN(const json::Document added, object_in(more, "presets"));
  for (const auto& member : added.root().GetObject()) {
    const json::Value* const own = json::find(fixed.root(), json::text(member.name));
    if (own && *own != member.value)
      return bad("the argument " + in_quotes(json::text(member.name)) + " is fixed already");
  }
  return changed_presets(presets, more);
}

}  // namespace host::tool
