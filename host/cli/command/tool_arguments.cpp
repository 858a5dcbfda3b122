#include "cli/command/tool_arguments.h"

namespace host::cli {
namespace {

Result<json::Document> whole_object(const std::string& text) {
  HOST_TRY_ASSIGN(json::Document document, json::parse(text));
  if (!document.root().IsObject())
    return Error{ErrorKind::InvalidArgument, "expected a JSON object"};
  return document;
}

}  // namespace

Result<json::Document> tool_arguments(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0].starts_with('{')) return whole_object(words[0]);
  json::Document document;
  document.root().SetObject();
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return Error{ErrorKind::InvalidArgument,
                   "\"" + word + "\" is neither a JSON object nor name=value"};
    }
    const std::string text = word.substr(equals + 1);
    const auto parsed = json::parse(text);
    json::Value value = parsed ? json::Value(parsed->root(), document.allocator())
                               : json::string(text, document.allocator());
    json::set(document.root(), word.substr(0, equals), std::move(value), document.allocator());
  }
  return document;
}

}  // namespace host::cli
