// Makes the Error for a fault of a plugin, or for a fault in the communication with the plugin's
// worker.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace host::plugin {

inline Error fault(std::string why) {
  return Error{ErrorKind::PluginFault, std::move(why)};
}

}  // namespace host::plugin
