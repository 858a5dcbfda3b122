// Reads the build id of a library. The plugin's author can use the build id to find the same build
// with debug information.
#pragma once

#include <filesystem>
#include <string>

namespace host::plugin {

// Returns the build id in hex. The text is empty if the file does not exist, is not a library, or
// has no build id.
std::string build_id_of(const std::filesystem::path& library);

}  // namespace host::plugin
