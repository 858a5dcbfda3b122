// Converts the names in the setting `sandbox.require` into layers.
#pragma once

#include <string>
#include <vector>

#include "sandbox/layer.h"

namespace host::sandbox {

// Returns the layers that the names in the setting require on this kernel. See kRequirable.
LayerSet required_layers(const std::vector<std::string>& names);

}  // namespace host::sandbox
