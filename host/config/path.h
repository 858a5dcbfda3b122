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

// The absolute path, without `.` and `..`. It need not exist. A path may start with `~` or with a
// word of user_folders.h; other words with `@` are InvalidArgument.
Result<std::filesystem::path> resolve(std::string_view written, const PathBase& base);

// The folder of the plugins or skills that came with this host: next to the executable in a build
// tree, under its prefix when installed.
std::filesystem::path shipped_plugins();
std::filesystem::path shipped_skills();

}  // namespace host::config
