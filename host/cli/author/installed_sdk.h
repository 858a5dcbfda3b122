// Finds the SDK that was installed together with this program.
#pragma once

#include <filesystem>
#include <optional>

namespace host::cli {

// Returns the folder in which this program and the SDK are installed (the installation prefix), as
// a value for CMAKE_PREFIX_PATH. Returns nullopt if the SDK is not installed, or if CMake searches
// the installation prefix by default.
std::optional<std::filesystem::path> sdk_prefix();

}  // namespace host::cli
