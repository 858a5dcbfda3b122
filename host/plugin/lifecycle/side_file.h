// Loads the side file of a library, see config/reader/side_file.h. The functions of this header
// block, and any thread can call them.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "plugin/declared/narrowing.h"

namespace host::plugin {

// Returns the path NAME.toml next to NAME.so.
std::filesystem::path side_file_of(const std::filesystem::path& library);

// Returns null if there is no side file. The Error Unavailable means that the side file changes or
// is open for writing: try again later. After any other Error, the plugin must not begin to serve,
// because a side file can restrict its plugin.
Result<SideFilePtr> load_side_file(const std::filesystem::path& library);

}  // namespace host::plugin
