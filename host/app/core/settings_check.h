// Finds settings, presets, added arguments and side files that plugins and the host refuse. Only a plugin knows the schemas of its settings
// and of its tools' arguments, so the core must be started. I/O thread only.
#pragma once

#include <filesystem>
#include <vector>

#include "config/diagnostic.h"

namespace host::app {

class Core;

// One error (C020) for each plugin that does not serve because of [plugin.NAME.settings] or of a key
// in [plugin.NAME.tool.TOOL], and for each tool that an agent does not see because of its presets,
// at its place in `file`. One error (C023) for each plugin that is refused because of its side file.
std::vector<config::Diagnostic> refused_settings(Core& core, const std::filesystem::path& file);

}  // namespace host::app
