// Finds the SDK that was installed with this program.
#pragma once

#include <filesystem>
#include <optional>

namespace host::cli {

// The prefix to which this program and the SDK were installed, for CMAKE_PREFIX_PATH. nullopt:
// there is none, or CMake searches it anyway.
std::optional<std::filesystem::path> sdk_prefix();

}  // namespace host::cli
