#include "sandbox/required_layers.h"

#include "sandbox/landlock.h"

namespace host::sandbox {

LayerSet required_layers(const std::vector<std::string>& names) {
  LayerSet required;
  for (const std::string& name : names) {
    if (const auto layer = layer_named(name)) required.add(*layer);
    if (name == kLandlockIfPresent && landlock_abi() > 0) required.add(LayerName::Landlock);
  }
  return required;
}

}  // namespace host::sandbox
