#include "upstream/openapi/api_document.h"

#include <boost/url/pct_string_view.hpp>

#include <utility>

#include "json/excerpt.h"
#include "json/schema/time_budget.h"
#include "tool/definition/declared_text.h"
#include "yaml/json.h"

namespace host::upstream::openapi {
namespace {

constexpr std::size_t kMostReferenceBytes = 1024;
constexpr int kMostChain = 16;  // references that lead to references
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Error not_usable(std::string why) {
  return Error{ErrorKind::InvalidArgument, std::move(why)};
}

// A document in JSON is one object, and a key of YAML may begin a line.
bool looks_like_yaml(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || text[start] == '{' || text[start] == '<') return false;
  for (const std::string_view key : {"openapi:", "swagger:", "info:"}) {
    if (text.starts_with(key) || text.find("\n" + std::string(key)) != std::string_view::npos)
      return true;
  }
  return false;
}

Result<std::string> version_of(const json::Value& root) {
  const std::string_view version = json::find_text(root, "openapi");
  if (version.starts_with("3.0.") || version.starts_with("3.1.")) return std::string(version);
  if (!version.empty()) {
    return not_usable("it has the version " + tool::quoted_name(json::excerpt(version, 40)) +
                      " of OpenAPI, and the host reads 3.0 and 3.1");
  }
  if (json::find(root, "swagger")) {
    return not_usable(
        "it has version 2.0 (Swagger), and the host reads OpenAPI 3.0 and 3.1: "
        "convert it");
  }
  return not_usable("it has no text \"openapi\", so it is no OpenAPI document");
}

}  // namespace

Result<ApiDocument> ApiDocument::read(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string converted;
  if (looks_like_yaml(text)) {
    auto json = yaml::to_json_text(text);
    if (!json) return not_usable("it is YAML that cannot be read: " + json.error().message);
    text = converted = *std::move(json);
  }
  auto tree = json::parse(text);
  if (!tree) return not_usable("it is no JSON: " + tree.error().message);
  if (!tree->root().IsObject()) return not_usable("it is no JSON object");
  HOST_TRY_ASSIGN(std::string version, version_of(tree->root()));
  ApiDocument document(*std::move(tree));
  document.version_ = std::move(version);
  return document;
}

void ApiDocument::begin_turn() {
  turn_began_ = json::schema::thread_cpu_time();
}

void ApiDocument::end_turn() {
  spent_ += json::schema::thread_cpu_time() - turn_began_;
}

Result<void> ApiDocument::check_time() const {
  const auto turn = json::schema::thread_cpu_time() - turn_began_;
  if (turn < kMostTurnTime && spent_ + turn < most_time_) return {};
  return not_usable("it takes too long to read");
}

Result<const json::Value*> ApiDocument::find(std::string_view reference) {
  const auto known = found_.find(reference);
  if (known != found_.end()) return known->second;
  HOST_TRY(check_time());
  const std::string shown = tool::quoted_name(json::excerpt(reference, 128));
  if (!reference.starts_with('#'))
    return not_usable("it refers to " + shown + ", which is outside of the document");
  if (reference.size() > kMostReferenceBytes) return not_usable("a reference is too long");
  const auto encoded = boost::urls::make_pct_string_view(reference.substr(1));
  const json::Value* const value =
      encoded ? json::at(tree_.root(), std::string(encoded->decode())) : nullptr;
  if (!value) return not_usable("it refers to " + shown + ", which is not in the document");
  found_.emplace(reference, value);
  return value;
}

Result<const json::Value*> ApiDocument::resolve(const json::Value& value) {
  const json::Value* at = &value;
  for (int i = 0; i < kMostChain; ++i) {
    const json::Value* const next = at->IsObject() ? json::find(*at, "$ref") : nullptr;
    if (!next) return at;
    HOST_TRY_ASSIGN(at, find(json::text(*next)));
  }
  return not_usable("its references lead in a circle");
}

}  // namespace host::upstream::openapi
