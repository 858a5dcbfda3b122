// What lies below a folder.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "permission/path/dangerous_path.h"

namespace host::permission {

// Looks for dangerous paths below folders, in a bounded number of entries altogether. Links are not
// followed, but where one leads counts. Blocks on the file system.
class TreeLook {
 public:
  TreeLook(const DangerousPaths& paths, const Place& place, std::span<const std::string> extra)
      : paths_(paths), place_(place), extra_(extra) {}

  // The first one, or why that cannot be known: a folder that cannot be read, too many entries.
  // Nothing: the folder holds none, or is no folder.
  std::optional<std::string> find_below(const std::string& folder);

 private:
  const DangerousPaths& paths_;
  const Place& place_;
  std::span<const std::string> extra_;
  std::size_t seen_ = 0;
};

}  // namespace host::permission
