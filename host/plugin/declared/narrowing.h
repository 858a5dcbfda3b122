// Applies a side file to what the configuration gives a plugin. The side file comes with the
// library, so whoever can change the library can change it. So it can only restrict: a key that
// would allow more is an Error with its place in the file (C023). In a folder of
// plugins.trusted_dirs, the side file has priority over the configuration instead.
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

using SideFilePtr = std::shared_ptr<const config::SideFile>;  // null: the plugin has none

// The settings of one plugin, from the configuration and its side file.
struct Terms {
  explicit Terms(config::Plugin of_configuration) : settings(std::move(of_configuration)) {}

  config::Plugin settings;
  // The side file whose keys make_offer() must still apply to the tools. May be null.
  SideFilePtr for_tools;
  // The side file of a trusted folder. Its keys are in `settings` already. May be null.
  SideFilePtr in_settings;
  // The timeout of a call if neither the configuration nor the tool has one.
  std::chrono::milliseconds call_timeout{0};
};

enum class SideFileMay { Restrict, Override };

// Returns the settings that apply, or the first fault of the side file. `side` may be null.
Result<Terms> terms_of(const config::Plugin& configured, const SideFilePtr& side, SideFileMay may,
                       std::chrono::milliseconds call_timeout);

// Returns true if a side file outside of trusted folders can have this key of [plugin.NAME].
bool can_restrict(std::string_view plugin_key);

// Applies the side file's keys for one tool to its declaration, after the configuration's keys.
// Sets `enabled` to false if the side file disables the tool.
Result<void> narrow(tool::Declaration& tool, bool& enabled, const Terms& terms);

// Removes everything that lets a call count as read-only.
void disbelieve_reading(tool::Declaration& tool);

// Every tool that the side file names must be declared, because the section of a misspelt name
// would have no effect.
Result<void> check_tool_names(const config::SideFile& side, const Manifest& manifest);

}  // namespace host::plugin
