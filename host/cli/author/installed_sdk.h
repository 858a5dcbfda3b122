// Finds the SDK that was installed together with this program.
#pragma once

#include <filesystem>
#include <optional>

namespace host::cli {

// Returns the prefix to which this program and the SDK were installed, for CMAKE_PREFIX_PATH.
// Returns nullopt if the SDK is not installed, or if CMake searches the prefix anyway.
std::optional<std::filesystem::path> sdk_prefix();

}  // namespace host::cli
