// Settings and presets that plugins refuse. Only a plugin knows the schema of its settings and of
// its tools' arguments, so this is of a core that was started. I/O thread only.
#pragma once

#include <filesystem>
#include <vector>

#include "config/diagnostic.h"

namespace host::app {

class Core;

// One error (C020) for each plugin that does not serve because of [plugin.NAME.settings] or of
// presets in [plugin.NAME.tool.TOOL], at its place in `file`.
std::vector<config::Diagnostic> refused_settings(Core& core, const std::filesystem::path& file);

}  // namespace host::app
