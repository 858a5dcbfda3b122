// Who asks, where what they see and may do depends on it.
#pragma once

#include <string>

namespace host::tool {

struct Peer {
  std::string principal = "local";
  std::string agent;  // as which it asks, of [agent.NAME]; empty: as none

  bool operator==(const Peer&) const = default;
};

}  // namespace host::tool
