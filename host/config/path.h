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

// Returns the absolute path, without `.` and `..`. The path need not exist. A path can start with
// `~` or with a word of user_folders.h. If the path starts with an unknown word with `@`, the
// function returns the Error InvalidArgument.
Result<std::filesystem::path> resolve(std::string_view written, const PathBase& base);

// Each of the following two functions returns the folder of the plugins or skills that are shipped
// with this host. In a build tree, the folder of shipped plugins or skills is next to the
// executable. After an installation, the folder of shipped plugins or skills is under the
// installation's prefix.
std::filesystem::path shipped_plugins();
std::filesystem::path shipped_skills();

}  // namespace host::config
