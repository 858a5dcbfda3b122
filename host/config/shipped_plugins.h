// The plugins that come with this host. A configuration may name them where they are not installed.
#pragma once

#include <span>
#include <string_view>

namespace host::config {

// In the order of config.toml.
std::span<const std::string_view> names_of_shipped_plugins();

}  // namespace host::config
