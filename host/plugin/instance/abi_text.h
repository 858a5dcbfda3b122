// Converts strings between the types of the ABI (tp_str) and the types of the host. Check an
// untrusted text with readable() before you convert it.
#pragma once

#include <toolpost/plugin.h>

#include <string_view>

namespace host::plugin {

inline bool readable(tp_str text) {
  return text.len == 0 || text.ptr != nullptr;
}
inline std::string_view view(tp_str text) {
  return {text.ptr, text.len};
}
inline tp_str lend(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace host::plugin
