// A peer is the client that sent a request. The peer of a request determines which tools the
// request can see and call.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"

namespace host::tool {

// A Credential is the console login or the OAuth token that a client sent with a request. When the
// login ends or the token expires, the host ends all calls that were started with this credential.
// Exactly one of the two members `login` and `expires` of a Credential is set.
struct Credential {
  std::string login;                // the id of a login to the console
  std::optional<WallTime> expires;  // the time at which a token expires
};

struct Peer {
  std::string principal = "local";
  std::string agent;         // the client's agent profile, [agent.NAME]; empty: no agent
  std::string session = {};  // the session in which the client works; empty: no session
  // `credential` is null if the client used a key, or needed no credential.
  std::shared_ptr<const Credential> credential = nullptr;
  // `may_send_context` is true if the client may send a context with a single call. The client may
  // send a context if its key has the scope `context`, or if the client started the host over
  // stdio.
  bool may_send_context = false;

  // Two peers that differ only in their credentials and scopes are equal, because the same client
  // can have a second login or a newer token.
  bool operator==(const Peer& other) const {
    return principal == other.principal && agent == other.agent && session == other.session;
  }
};

}  // namespace host::tool
