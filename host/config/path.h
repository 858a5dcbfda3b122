// Paths in a configuration: relative, with `~`, or a word for the shipped folder.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace host::config {

struct PathBase {
  std::filesystem::path folder;  // relative paths start here
  std::filesystem::path home;    // empty: unknown
};

// The absolute path, without `.` and `..`. It need not exist.
Result<std::filesystem::path> resolve(std::string_view written, const PathBase& base);

// The folder of the plugins or skills that came with this host: next to the executable in a build
// tree, under its prefix when installed.
std::filesystem::path shipped_plugins();
std::filesystem::path shipped_skills();

// The folder for the data of the host and its plugins, ~/.local/state/toolpost. Empty if the home
// folder is unknown.
std::filesystem::path state_folder(const char* const* environment);

// HOME of `environment`, otherwise the user's home folder according to the system.
std::filesystem::path home_folder(const char* const* environment);

}  // namespace host::config
