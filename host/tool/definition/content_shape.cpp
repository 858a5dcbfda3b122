#include "tool/definition/content_shape.h"

#include <algorithm>

#include "base/text/encoding.h"
#include "base/text/letters.h"
#include "base/text/visible.h"

namespace host::tool {
namespace {

constexpr std::size_t kMostShownBytes = 64;

bool has_string(const json::Value& object, std::string_view key) {
  const json::Value* const member = json::find(object, key);
  return member && member->IsString();
}

bool may_be_string(const json::Value& object, std::string_view key) {
  const json::Value* const member = json::find(object, key);
  return !member || member->IsString();
}

bool may_be_object(const json::Value& object, std::string_view key) {
  const json::Value* const member = json::find(object, key);
  return !member || member->IsObject();
}

bool has_base64(const json::Value& object, std::string_view key) {
  return has_string(object, key) && from_base64(json::find_text(object, key)).has_value();
}

bool is_role(const json::Value& value) {
  const std::string_view role = json::text(value);
  return role == "user" || role == "assistant";
}

// MCP 2025-11-25, Annotations.
bool are_annotations(const json::Value& value) {
  if (!value.IsObject() || !may_be_string(value, "lastModified")) return false;
  if (const json::Value* const audience = json::find(value, "audience")) {
    if (!audience->IsArray() || !std::all_of(audience->Begin(), audience->End(), is_role))
      return false;
  }
  const json::Value* const priority = json::find(value, "priority");
  return !priority ||
         (priority->IsNumber() && priority->GetDouble() >= 0 && priority->GetDouble() <= 1);
}

std::string fault_of_members(std::string_view type, const json::Value& block) {
  if (type == "text") return has_string(block, "text") ? "" : "has no \"text\"";
  if (type == "image" || type == "audio") {
    if (!has_base64(block, "data")) return "has no \"data\" in base64";
    return has_string(block, "mimeType") ? "" : "has no \"mimeType\"";
  }
  if (type == "resource") {
    const json::Value* const resource = json::find(block, "resource");
    return resource && is_resource_contents(*resource)
               ? ""
               : "has no \"resource\" with a \"uri\" and either a \"text\" or a \"blob\" in base64";
  }
  if (type == "resource_link") {
    const bool named = !json::find_text(block, "uri").empty() && has_string(block, "name");
    return named ? "" : "has no \"uri\" and \"name\"";
  }
  const std::string_view shown = utf8_begin(type, kMostShownBytes);
  return "has the type \"" + marked(shown) + "\", which MCP does not know";
}

}  // namespace

bool is_resource_contents(const json::Value& value) {
  return value.IsObject() && !json::find_text(value, "uri").empty() &&
         may_be_string(value, "mimeType") && may_be_object(value, "_meta") &&
         has_string(value, "text") != has_base64(value, "blob") &&
         has_string(value, "text") != has_string(value, "blob");
}

bool is_skill_uri(std::string_view uri) {
  constexpr std::string_view kScheme = "skill:";
  std::size_t matched = 0;
  for (const char c : uri) {
    if (static_cast<unsigned char>(c) <= ' ') continue;
    if (lower(c) != kScheme[matched]) return false;
    if (++matched == kScheme.size()) return true;
  }
  return false;
}

std::string fault_of_count(const json::Value& content) {
  if (content.Size() <= kMostBlocks) return {};
  return "has " + std::to_string(content.Size()) + " blocks, more than the " +
         std::to_string(kMostBlocks) + " that one result may have";
}

std::string fault_of_content(const json::Value& block) {
  if (!block.IsObject()) return "is no object";
  if (!has_string(block, "type")) return "has no \"type\"";
  std::string fault = fault_of_members(json::find_text(block, "type"), block);
  if (!fault.empty()) return fault;
  const json::Value* const annotations = json::find(block, "annotations");
  if (annotations && !are_annotations(*annotations)) return "has malformed \"annotations\"";
  if (!may_be_object(block, "_meta")) return "has a \"_meta\" that is no object";
  return {};
}

}  // namespace host::tool
