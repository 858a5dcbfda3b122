// Converts the names in the setting `sandbox.require` into layers.
#pragma once

#include <string>
#include <vector>

#include "sandbox/layer.h"

namespace host::sandbox {

// Returns the sandbox layers that the setting `sandbox.require` demands on this kernel. See
// kRequirable.
LayerSet required_layers(const std::vector<std::string>& names);

}  // namespace host::sandbox
