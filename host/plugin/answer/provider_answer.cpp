#include "plugin/answer/provider_answer.h"

#include "base/text/encoding.h"
#include "json/json.h"
#include "plugin/wire/fault.h"
#include "tool/definition/content_shape.h"

namespace host::plugin {
namespace {

constexpr std::size_t kMostValues = 100;

// Absent, or of the kind that `is_kind` says.
template <class IsKind>
bool may_have(const json::Value& object, std::string_view key, IsKind is_kind) {
  const json::Value* const member = json::find(object, key);
  return !member || is_kind(*member);
}

bool is_string(const json::Value& value) {
  return value.IsString();
}

bool is_message(const json::Value& value) {
  const std::string_view role = json::find_text(value, "role");
  const json::Value* const content = json::find(value, "content");
  return (role == "user" || role == "assistant") && content &&
         tool::fault_of_content(*content).empty();
}

}  // namespace

void ResourceContents::begin_item(std::string_view mime) {
  items_ += items_.empty() ? R"({"uri":)" : R"(,{"uri":)";
  json::write_string(uri_, items_);
  items_ += R"(,"mimeType":)";
  json::write_string(mime, items_);
}

void ResourceContents::add_text(std::string_view mime, std::string_view text) {
  begin_item(mime);
  items_ += R"(,"text":)";
  json::write_string(text, items_);
  items_ += '}';
}

void ResourceContents::add_blob(std::string_view mime, std::string_view bytes) {
  begin_item(mime);
  items_ += R"(,"blob":")";
  base64(bytes, items_);
  items_ += R"("})";
}

void ResourceContents::add_item(std::string_view json) {
  if (!items_.empty()) items_ += ',';
  items_ += json;
}

Result<void> check_prompt(std::string_view text) {
  const auto tree = json::parse(text);
  if (!tree || !tree->root().IsObject()) return fault("gave no object");
  const json::Value* const messages = json::find(tree->root(), "messages");
  if (!messages || !messages->IsArray()) return fault("gave no list of messages");
  for (const json::Value& message : messages->GetArray()) {
    if (!is_message(message)) {
      return fault(R"(gave a message that is not {"role": "user|assistant", "content": {...}})");
    }
  }
  if (!may_have(tree->root(), "description", is_string)) {
    return fault("gave a description that is no text");
  }
  return {};
}

Result<void> check_completion(std::string_view text) {
  const auto tree = json::parse(text);
  if (!tree || !tree->root().IsObject()) return fault("gave no object");
  const json::Value* const values = json::find(tree->root(), "values");
  if (!values || !values->IsArray()) return fault("gave no list of values");
  if (values->Size() > kMostValues) {
    return fault("gave more than " + std::to_string(kMostValues) + " values");
  }
  for (const json::Value& value : values->GetArray()) {
    if (!value.IsString()) return fault("gave a value that is no text");
  }
  const bool shaped =
      may_have(tree->root(), "total", [](const json::Value& total) { return total.IsUint64(); }) &&
      may_have(tree->root(), "hasMore", [](const json::Value& more) { return more.IsBool(); });
  if (!shaped) return fault("gave a total or hasMore of the wrong kind");
  return {};
}

}  // namespace host::plugin
