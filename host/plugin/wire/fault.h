// What went wrong in a plugin, or in the talk with its worker.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace host::plugin {

inline Error fault(std::string why) {
  return Error{ErrorKind::PluginFault, std::move(why)};
}

}  // namespace host::plugin
