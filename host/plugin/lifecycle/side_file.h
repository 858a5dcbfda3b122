// Loads the side file of a library, see config/reader/side_file.h. Blocking; any thread.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "plugin/declared/narrowing.h"

namespace host::plugin {

// NAME.toml next to NAME.so.
std::filesystem::path side_file_of(const std::filesystem::path& library);

// Null: there is no side file. Unavailable: it changes, or is open for writing, so a part of it may
// look complete; try again later. Any other Error: it cannot be used. Then its plugin must not
// begin to serve, because the file may restrict it.
Result<SideFilePtr> load_side_file(const std::filesystem::path& library);

}  // namespace host::plugin
