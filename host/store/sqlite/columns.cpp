#include "store/sqlite/columns.h"

#include "json/json.h"

namespace host::store {

std::string json_of(const std::vector<std::string>& words) {
  std::string json = "[";
  for (const std::string& word : words) {
    if (json.size() > 1) json += ',';
    json::write_string(word, json);
  }
  return json + "]";
}

std::vector<std::string> words_in(std::string_view json) {
  std::vector<std::string> words;
  const auto tree = json::parse(json);
  if (!tree || !tree->root().IsArray()) return words;
  for (const json::Value& word : tree->root().GetArray()) {
    if (word.IsString()) words.emplace_back(json::text(word));
  }
  return words;
}

}  // namespace host::store
