// The build id of a library. With the build id, the plugin's author finds the same build with debug
// information.
#pragma once

#include <filesystem>
#include <string>

namespace host::plugin {

// Returns the build id in hex. Empty: the file does not exist, is not a library, or has no build
// id.
std::string build_id_of(const std::filesystem::path& library);

}  // namespace host::plugin
