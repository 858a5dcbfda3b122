// The client behind a request. It determines what the request can see and do.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"

namespace host::tool {

// The credential of a request, if it can expire or end before its principal does. When it ends,
// everything that the request started ends too. Exactly one of the two members is set.
struct Credential {
  std::string login;                // id of a login to the console
  std::optional<WallTime> expires;  // of a token
};

struct Peer {
  std::string principal = "local";
  std::string agent;         // its agent profile, [agent.NAME]; empty: none
  std::string session = {};  // the session that it works in; empty: none
  // null: a key, or no credential was needed
  std::shared_ptr<const Credential> credential = nullptr;

  // The credential is not compared: the same peer may have a second login or a newer token.
  bool operator==(const Peer& other) const {
    return principal == other.principal && agent == other.agent && session == other.session;
  }
};

}  // namespace host::tool
