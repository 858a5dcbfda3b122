// Finds the position of a key in a configuration file, for faults that the host finds only after
// reading the file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/diagnostic.h"

namespace host::config {

// `keys` is a path like {"plugin", "hello", "settings"}. Returns the file, line and column of the
// innermost key of this path that the file has. The key of an entry in a list is the number of the
// entry, from 0, like {"webhook", "0", "url"}. If the file has none of `keys`, the returned
// Diagnostic has no line.
Diagnostic place_of(const std::filesystem::path& file, const std::vector<std::string>& keys);

}  // namespace host::config
