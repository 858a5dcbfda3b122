// A configuration with faults, as far as it can be read: what else is wrong can be reported with
// them. Nothing may be served by it.
#pragma once

#include <filesystem>

#include "config/config.h"

namespace host::config {

// Keys with faults have their defaults. Nothing where the file cannot be read, or where it is not
// known in which folders plugins and skills are.
std::optional<Config> readable_part(const std::filesystem::path& file,
                                    const char* const* environment);

}  // namespace host::config
