#include "upstream/openapi/responses.h"

#include "base/text/letters.h"
#include "upstream/openapi/schema_writer.h"

namespace host::upstream::openapi {
namespace {

constexpr int kMostLookedAt = 256;  // schemas below allOf, anyOf and oneOf of the root
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

// Looks for schemas whose valid values are all objects. A schema can contain itself many times, so
// the search gives up after kMostLookedAt schemas, and the answer is no.
class ObjectSearch {
 public:
  explicit ObjectSearch(ApiDocument& document) : document_(document) {}

  bool allows_only_objects(const json::Value& written) {
    if (gives_up()) return false;
    --left_;
    const auto schema = document_.resolve(written);
    if (!schema || !(*schema)->IsObject()) return false;
    const json::Value* const nullable = json::find(**schema, "nullable");
    if (nullable && nullable->IsBool() && nullable->GetBool()) return false;
    if (const json::Value* const type = json::find(**schema, "type"))
      return type->IsString() && json::text(*type) == "object";
    if (json::find(**schema, "properties")) return true;
    return any_does(json::find(**schema, "allOf")) || all_do(json::find(**schema, "anyOf")) ||
           all_do(json::find(**schema, "oneOf"));
  }

 private:
  bool gives_up() const { return left_ == 0 || !document_.check_time(); }

  bool any_does(const json::Value* list) {
    if (!list || !list->IsArray()) return false;
    for (const json::Value& one : list->GetArray()) {
      if (allows_only_objects(one)) return true;
      if (gives_up()) return false;
    }
    return false;
  }

  bool all_do(const json::Value* list) {
    if (!list || !list->IsArray() || list->Empty()) return false;
    for (const json::Value& one : list->GetArray()) {
      if (!allows_only_objects(one)) return false;
    }
    return true;
  }

  ApiDocument& document_;
  int left_ = kMostLookedAt;
};

}  // namespace

std::string output_schema_of(ApiDocument& document, const json::Value& operation) {
  const json::Value* const written = only_success(operation);
  const auto response = written ? document.resolve(*written) : Result<const json::Value*>(nullptr);
  if (!response || !*response || !(*response)->IsObject()) return {};
  const json::Value* const schema = schema_in(**response);
  if (!schema || !ObjectSearch(document).allows_only_objects(*schema)) return {};
  SchemaWriter writer(document, kMostOutputBytes, Purpose::Answer);
  const auto text = writer.write(*schema, {});
  auto tree = text ? json::parse(*text) : Result<json::Document>(text.error());
  if (!tree || !tree->root().IsObject()) return {};
  // A client reads this member alone. It is never null.
  json::set(tree->root(), "type", json::string("object", tree->allocator()), tree->allocator());
  return json::write(tree->root());
}

}  // namespace host::upstream::openapi
