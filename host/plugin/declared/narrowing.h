// Applies a side file to the settings that the configuration gives a plugin. A plugin's side file
// comes with its library, so anybody who can change the library can change the side file. If a key
// of the side file would allow more than the configuration, the function returns an Error (C023)
// with the key's position in the file. Exception: a side file in a folder of plugins.trusted_dirs
// has priority over the configuration.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "config/config.h"
#include "config/reader/side_file.h"
#include "plugin/declared/manifest.h"
#include "tool/definition/tool.h"

namespace host::plugin {

using SideFilePtr = std::shared_ptr<const config::SideFile>;  // null: the plugin has no side file

// The settings of one plugin, from the configuration and its side file.
struct Terms {
  explicit Terms(config::Plugin of_configuration) : settings(std::move(of_configuration)) {}

  config::Plugin settings;
  // The side file whose keys make_offer() must still apply to the tools; null if there is no such
  // side file.
  SideFilePtr for_tools;
  // The plugin's side file if this file is in a trusted folder, otherwise null. The keys of a
  // trusted side file are already part of `settings`.
  SideFilePtr in_settings;
  // The timeout of a call if neither the configuration nor the tool sets a timeout.
  std::chrono::milliseconds call_timeout{0};
};

enum class SideFileMay { Restrict, Override };

// Returns the settings that apply, or the first fault of the side file. `side` can be null.
Result<Terms> terms_of(const config::Plugin& configured, const SideFilePtr& side, SideFileMay may,
                       std::chrono::milliseconds call_timeout);

// Returns true if a side file outside of trusted folders can have this key of [plugin.NAME].
bool can_restrict(std::string_view plugin_key);

// Applies the side file's keys for one tool to the tool's declaration. Apply the configuration's
// keys for the tool first, and then call this function. Sets `enabled` to false if the side file
// disables the tool.
Result<void> narrow(tool::Declaration& tool, bool& enabled, const Terms& terms);

// Removes the claims that the tool or some of its calls are read-only from the declaration.
void disbelieve_reading(tool::Declaration& tool);

// Checks that the library declares every tool for which the side file has a section. A section with
// a misspelt name would have no effect.
Result<void> check_tool_names(const config::SideFile& side, const Manifest& manifest);

}  // namespace host::plugin
