// Reads the valid part of a configuration that has faults, so that further faults can be reported
// together with these faults. The host must never serve with a configuration that has faults.
#pragma once

#include <filesystem>

#include "config/config.h"

namespace host::config {

// A key with a fault gets its default. Returns nullopt if the file cannot be read, or if the
// folders of plugins and skills are not known.
std::optional<Config> readable_part(const std::filesystem::path& file,
                                    const char* const* environment);

}  // namespace host::config
