// The plugins that are shipped with this host, and their special defaults. All other defaults of
// the shipped plugins are the same as for all plugins.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "config/config.h"
#include "config/path.h"

namespace host::config {

// Returns the names of the shipped plugins, in the order of config.toml. A configuration can name a
// shipped plugin even if the plugin is not installed.
std::span<const std::string_view> names_of_shipped_plugins();

// Every configuration starts with the special defaults of the shipped plugins.
std::map<std::string, Plugin> defaults_of_shipped_plugins(const PathBase& base);

}  // namespace host::config
