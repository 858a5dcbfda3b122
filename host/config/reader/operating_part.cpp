#include "config/reader/operating_part.h"

#include <algorithm>
#include <set>

#include "base/text/nearest.h"
#include "config/document/document.h"
#include "config/key/keys.h"

namespace host::config {
namespace {

bool is_operating(std::string_view section) {
  return std::find(std::begin(kOperatingSections), std::end(kOperatingSections), section) !=
         std::end(kOperatingSections);
}

// Finds unknown names that could mean a key of the part, for example because the line `[store]`
// above the key is missing, or is misspelt.
class UnknownNames {
 public:
  UnknownNames(const Node& root, const std::vector<Diagnostic>& diagnostics) {
    for (const Section& section : sections(defaults_)) {
      if (!is_operating(section.name)) continue;
      const Node* const written = root.find(section.name);
      for (const Key& key : section.keys) {
        keys_.push_back(key.name);
        if (!written || !written->find(key.name)) not_set_.insert(key.name);
      }
    }
    for (const Diagnostic& one : diagnostics) {
      if (one.code == "C014") lines_.insert(one.line);
    }
  }

  // Looks at the names on the lines that have an unknown name, and at all names below these.
  bool can_mean_unset_key(const Node& node, bool unknown = false) const {
    for (const Node& one : node.array) {
      if (can_mean_unset_key(one, unknown)) return true;
    }
    return std::any_of(node.table.begin(), node.table.end(), [&](const Member& member) {
      const bool here = unknown || lines_.contains(member.at.line);
      if (here && not_set_.contains(nearest(member.key, keys_))) return true;
      return can_mean_unset_key(member.value, here);
    });
  }

 private:
  Config defaults_;
  std::vector<std::string_view> keys_;
  std::set<std::string_view> not_set_;
  std::set<std::uint32_t> lines_;
};

}  // namespace

Loaded operating_part_of(std::string_view text, const std::filesystem::path& file,
                         const char* const* environment) {
  Loaded whole = parse(text, file, environment);
  if (whole.config) return whole;
  Loaded part = parse_sections(kOperatingSections, text, file, environment);
  TomlError error;
  const auto root = parse_toml(text, error);
  if (!root || UnknownNames(*root, whole.diagnostics).can_mean_unset_key(*root))
    part.config.reset();
  return {std::move(part.config), std::move(whole.diagnostics)};
}

Loaded operating_part(const std::filesystem::path& file, const char* const* environment) {
  const auto text =
      file.empty() ? Result<std::string>(std::string()) : read_document(file, kMostConfigBytes);
  if (!text) return load(file, environment);
  return operating_part_of(*text, file, environment);
}

}  // namespace host::config
