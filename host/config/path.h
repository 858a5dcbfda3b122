// Paths as people write them in a configuration: relative, with `~`, or by a word for what was
// shipped.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace host::config {

struct PathBase {
  std::filesystem::path folder;  // relative paths start here
  std::filesystem::path home;    // empty: nobody knows
};

// The absolute path, without `.` and `..`. It need not exist.
Result<std::filesystem::path> resolve(std::string_view written, const PathBase& base);

// Where the plugins or skills are that came with this host: beside the executable in a build tree,
// under its prefix when installed.
std::filesystem::path shipped_plugins();
std::filesystem::path shipped_skills();

// Where the host keeps what it and its plugins write, ~/.local/state/toolpost; empty where nobody
// knows the home.
std::filesystem::path state_folder(const char* const* environment);

// HOME of `environment`, else what the system knows of the user.
std::filesystem::path home_folder(const char* const* environment);

}  // namespace host::config
