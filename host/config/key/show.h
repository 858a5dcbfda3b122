// Writes a configuration as the text of a configuration file.
#pragma once

#include <string>

#include "config/config.h"

namespace host::config {

// Returns the effective configuration as TOML, for `config show`. A host that loads the returned
// text gets the same configuration.
std::string show(const Config& config);

}  // namespace host::config
