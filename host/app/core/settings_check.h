// Finds settings and presets that plugins refuse. Only a plugin knows the schemas of its settings
// and of its tools' arguments, so the core must be started. I/O thread only.
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
