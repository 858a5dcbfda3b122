// The position of a key in a configuration file, for faults that are found after the file was read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/diagnostic.h"

namespace host::config {

// File, line and column of the innermost of `keys` that the file has, like {"plugin", "hello",
// "settings"}. Without a line if the file has none of them, as for keys of environment variables.
Diagnostic place_of(const std::filesystem::path& file, const std::vector<std::string>& keys);

}  // namespace host::config
