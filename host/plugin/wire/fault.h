// A fault of a plugin, or of the communication with its worker.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace host::plugin {

inline Error fault(std::string why) {
  return Error{ErrorKind::PluginFault, std::move(why)};
}

}  // namespace host::plugin
