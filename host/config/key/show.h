// Writes a configuration as a file.
#pragma once

#include <string>

#include "config/config.h"

namespace host::config {

// The effective configuration as TOML, for `config show`. Loading the text gives the same
// configuration.
std::string show(const Config& config);

}  // namespace host::config
