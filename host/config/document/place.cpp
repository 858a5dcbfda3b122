#include "config/document/place.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/result.h"
#include "config/document/document.h"
#include "config/document/node.h"
#include "config/document/report.h"

namespace host::config {
namespace {

// Null: the list has no such entry.
const Node* numbered_entry(const Node& list, std::string_view number) {
  std::size_t index = 0;
  const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), index);
  if (fault != std::errc() || end != number.data() + number.size()) return nullptr;
  return index < list.array.size() ? &list.array[index] : nullptr;
}

}  // namespace

Diagnostic place_of(const std::filesystem::path& file, const std::vector<std::string>& keys) {
  const auto text =
      file.empty() ? Result<std::string>(std::string()) : read_document(file, kMostConfigBytes);
  std::vector<Diagnostic> none;
  Report report(file.string(), text ? *text : std::string_view(), none);
  TomlError error;
  const auto root = text ? parse_toml(*text, error) : std::nullopt;
  const Node* at = root ? &*root : nullptr;
  Position found;
  for (auto key = keys.begin(); at != nullptr && key != keys.end(); ++key) {
    if (at->kind == Node::Kind::Array) {
      at = numbered_entry(*at, *key);
      if (at != nullptr) found = at->at;
      continue;
    }
    const auto member = std::find_if(at->table.begin(), at->table.end(),
                                     [&](const Member& one) { return one.key == *key; });
    if (member == at->table.end()) break;
    found = member->at;
    at = &member->value;
  }
  return report.place(found);
}

}  // namespace host::config
