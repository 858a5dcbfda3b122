#include "config/document/place.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "config/document/document.h"
#include "config/document/node.h"
#include "config/document/report.h"

namespace host::config {

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
    const auto member = std::find_if(at->table.begin(), at->table.end(),
                                     [&](const Member& one) { return one.key == *key; });
    if (member == at->table.end()) break;
    found = member->at;
    at = &member->value;
  }
  return report.place(found);
}

}  // namespace host::config
