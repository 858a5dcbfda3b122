// The build id of a library, by which its author finds the build with debug information.
#pragma once

#include <filesystem>
#include <string>

namespace host::plugin {

// Hex; empty: the file is gone, is no library, or has none.
std::string build_id_of(const std::filesystem::path& library);

}  // namespace host::plugin
