// The plugins that are shipped with this host, and their special defaults. Their other defaults are
// the same as for all plugins. config.toml shows the special defaults too, and a test compares the
// two.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "config/config.h"
#include "config/path.h"

namespace host::config {

// Returns the names of the shipped plugins, in the order of config.toml. A configuration can name
// them even if they are not installed.
std::span<const std::string_view> names_of_shipped_plugins();

// Every configuration starts with these values. A file and environment variables change single
// keys.
std::map<std::string, Plugin> defaults_of_shipped_plugins(const PathBase& base);

}  // namespace host::config
