// Searches folders for dangerous paths.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "permission/path/dangerous_path.h"

namespace host::permission {

// Looks for dangerous paths below folders, with a limit on the total number of entries. Links are
// not followed, but their targets are checked. Blocks on the file system.
class TreeLook {
 public:
  TreeLook(const DangerousPaths& paths, const Place& place, std::span<const std::string> extra)
      : paths_(paths), place_(place), extra_(extra) {}

  // The first dangerous path, or why that cannot be known: a folder that cannot be read, too many
  // entries. nullopt: there is none, or it is not a folder.
  std::optional<std::string> find_below(const std::string& folder);

 private:
  const DangerousPaths& paths_;
  const Place& place_;
  std::span<const std::string> extra_;
  std::size_t seen_ = 0;
};

}  // namespace host::permission
