// Paths in a configuration: relative, with `~`, or below a word such as `@state`.
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

// Returns the absolute path, without `.` and `..`. The path need not exist. A path may start with
// `~` or with a word of user_folders.h; for other words with `@`, the function returns
// InvalidArgument.
Result<std::filesystem::path> resolve(std::string_view written, const PathBase& base);

// Return the folder of the plugins or skills that are shipped with this host. In a build tree, it
// is next to the executable. After an installation, it is under the installation's prefix.
std::filesystem::path shipped_plugins();
std::filesystem::path shipped_skills();

}  // namespace host::config
