// Where the SDK is that belongs to this program.
#pragma once

#include <filesystem>
#include <optional>

namespace host::cli {

// The prefix that this program and the SDK were installed to together, for CMAKE_PREFIX_PATH; or
// nothing, where there is none, or CMake looks there anyway.
std::optional<std::filesystem::path> sdk_prefix();

}  // namespace host::cli
