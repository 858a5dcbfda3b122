// Resolves the paths in a configuration: relative paths, paths with `~`, and paths below a word
// such as `@state`.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "config/user_folders.h"

namespace host::config {

struct PathBase {
  std::filesystem::path folder;  // relative paths start here
  UserFolders user;
};

// Returns the absolute path, without `.` and `..`. The path does not have to exist. A path
// can start with `~` or with a word of user_folders.h. For any other word with `@`, the
// function returns the Error InvalidArgument.
Result<std::filesystem::path> resolve(std::string_view written, const PathBase& base);

// These functions return the folder of the plugins or skills that are shipped with this host. In a
// build tree, this folder is next to the executable. After an installation, this folder is under
// the installation's prefix.
std::filesystem::path shipped_plugins();
std::filesystem::path shipped_skills();

}  // namespace host::config
