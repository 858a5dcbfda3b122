// Reads the valid part of a configuration that has faults, so that a command can report the faults
// of all parts together. The host must never serve with a configuration that has faults.
#pragma once

#include <filesystem>

#include "config/config.h"

namespace host::config {

// If a key has a fault, the result has the default of this key. Returns nullopt if the file cannot
// be read, or if the folders of plugins and skills are not known.
std::optional<Config> readable_part(const std::filesystem::path& file,
                                    const char* const* environment);

}  // namespace host::config
