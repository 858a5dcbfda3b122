#include "upstream/openapi/responses.h"

#include <algorithm>

#include "base/text/letters.h"
#include "upstream/openapi/schema_writer.h"

namespace host::upstream::openapi {
namespace {

constexpr int kMostComposed = 8;  // levels of allOf, anyOf and oneOf at the root
constexpr std::string_view kJson = "application/json";

bool is_success_key(std::string_view status) {
  return status.size() == 3 && status.front() == '2';  // "200", "2XX"
}

// Null: there is none, or several.
const json::Value* only_success(const json::Value& operation) {
  const json::Value* const all = json::find(operation, "responses");
  if (!all || !all->IsObject()) return nullptr;
  const json::Value* found = nullptr;
  for (const auto& member : all->GetObject()) {
    if (!is_success_key(json::text(member.name))) continue;
    if (found) return nullptr;
    found = &member.value;
  }
  return found;
}

std::string plain_media_type(std::string_view written) {
  std::string_view type = written.substr(0, written.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return lower(type);
}

// The schema of a response that is always application/json; otherwise null.
const json::Value* schema_in(const json::Value& response) {
  const json::Value* const content = json::find(response, "content");
  if (!content || !content->IsObject() || content->MemberCount() != 1) return nullptr;
  const auto& only = *content->MemberBegin();
  if (plain_media_type(json::text(only.name)) != kJson || !only.value.IsObject()) return nullptr;
  return json::find(only.value, "schema");
}

// True if each valid value is an object.
bool is_of_objects(ApiDocument& document, const json::Value& written, int depth) {
  const auto schema = document.resolve(written);
  if (!schema || !(*schema)->IsObject() || depth > kMostComposed) return false;
  const json::Value* const nullable = json::find(**schema, "nullable");
  if (nullable && nullable->IsBool() && nullable->GetBool()) return false;
  if (const json::Value* const type = json::find(**schema, "type"))
    return type->IsString() && json::text(*type) == "object";
  if (json::find(**schema, "properties")) return true;
  const auto are_of_objects = [&](const json::Value& one) {
    return is_of_objects(document, one, depth + 1);
  };
  const json::Value* const all = json::find(**schema, "allOf");
  if (all && all->IsArray() && std::any_of(all->Begin(), all->End(), are_of_objects)) return true;
  for (const char* const key : {"anyOf", "oneOf"}) {
    const json::Value* const some = json::find(**schema, key);
    if (some && some->IsArray() && !some->Empty() &&
        std::all_of(some->Begin(), some->End(), are_of_objects))
      return true;
  }
  return false;
}

}  // namespace

std::string output_schema_of(ApiDocument& document, const json::Value& operation) {
  const json::Value* const written = only_success(operation);
  const auto response = written ? document.resolve(*written) : Result<const json::Value*>(nullptr);
  if (!response || !*response || !(*response)->IsObject()) return {};
  const json::Value* const schema = schema_in(**response);
  if (!schema || !is_of_objects(document, *schema, 0)) return {};
  SchemaWriter writer(document, kMostOutputBytes, Purpose::Answer);
  const auto text = writer.write(*schema, {});
  auto tree = text ? json::parse(*text) : Result<json::Document>(text.error());
  if (!tree || !tree->root().IsObject()) return {};
  // A client reads this member alone. It is never null.
  json::set(tree->root(), "type", json::string("object", tree->allocator()), tree->allocator());
  return json::write(tree->root());
}

}  // namespace host::upstream::openapi
