// Finds out whether a folder contains dangerous paths.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "permission/path/budget.h"
#include "permission/path/dangerous_path.h"

namespace host::permission {

// Searches folders for dangerous paths, with a limit on the total number of entries. A second
// search of the same folder looks up the folder's path, but does not search again. The search does
// not follow symbolic links, but checks the paths to which they lead. find_below() blocks on the
// file system.
class TreeLook {
 public:
  TreeLook(const DangerousPaths& paths, const Place& place, std::span<const std::string> extra,
           Budget& budget)
      : paths_(paths), place_(place), extra_(extra), budget_(budget) {}

  // Returns the first dangerous path below `folder`. If a folder cannot be read, has too many
  // entries, or the budget is used up, the function returns a text that says so. Returns nullopt if
  // there is no dangerous path, or if `folder` is not a folder.
  std::optional<std::string> find_below(const std::string& folder);

 private:
  const DangerousPaths& paths_;
  const Place& place_;
  std::span<const std::string> extra_;
  Budget& budget_;
  std::optional<std::string> look_below(const std::string& real);

  std::size_t seen_ = 0;
  std::map<std::string, std::optional<std::string>> found_;  // by the real path of the folder
};

}  // namespace host::permission
