// The text of a configuration file.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace host::config {

// Io: it cannot be read, is no regular file, or has more than 1 MiB.
Result<std::string> read_file(const std::filesystem::path& file);

}  // namespace host::config
