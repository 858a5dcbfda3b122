// Finds settings, presets, additional arguments (`extend`) and side files that the host refuses.
// Start the Core before the check, because only a loaded plugin knows its schemas. Call the
// functions of this header on the I/O thread.
#pragma once

#include <filesystem>
#include <vector>

#include "config/diagnostic.h"

namespace host::app {

class Core;

// Returns one error (C020) for each plugin that is not in use because of its settings or of a key
// in [plugin.NAME.tool.TOOL]. Returns one error (C020) for each tool that an agent does not see
// because of the agent's presets. Returns one error (C023) for each plugin whose side file the host
// refuses.
std::vector<config::Diagnostic> refused_settings(Core& core, const std::filesystem::path& file);

// Returns only the errors about the presets of agents. The host starts even if an agent's presets
// do not match the tools.
std::vector<config::Diagnostic> refused_presets(Core& core);

}  // namespace host::app
