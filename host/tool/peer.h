// Who asks, where what they see and may do depends on it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"

namespace host::tool {

// What a request was let in by, where that ends before its principal does: what it began ends with
// it. Exactly one of the two is there.
struct Credential {
  std::string login;                // id of a login to the page
  std::optional<WallTime> expires;  // of a token
};

struct Peer {
  std::string principal = "local";
  std::string agent;  // as which it asks, of [agent.NAME]; empty: as none
  std::shared_ptr<const Credential> credential = nullptr;  // null: a key, or none was needed

  // The same one may come by another login or a newer token.
  bool operator==(const Peer& other) const {
    return principal == other.principal && agent == other.agent;
  }
};

}  // namespace host::tool
