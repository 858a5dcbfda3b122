// Finds the position of a key in a configuration file, for faults that are found after the file was
// read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/diagnostic.h"

namespace host::config {

// `keys` is a path like {"plugin", "hello", "settings"}. Returns file, line and column of the
// innermost of these keys that the file has. In a list, the key is an entry's number from 0, like
// {"webhook", "0", "url"}. If the file has none of the keys, for example because an environment
// variable sets them, the result has no line.
Diagnostic place_of(const std::filesystem::path& file, const std::vector<std::string>& keys);

}  // namespace host::config
