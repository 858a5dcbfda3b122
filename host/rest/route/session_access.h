// Decides who may use a session. Only the session's principal may use the session, and only when it
// acts as the session's agent. A sender that must not use the session gets the same response as for
// a session that does not exist.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rest/route/route.h"
#include "rest/wire/parameters.h"
#include "session/session.h"
#include "tool/call/peer.h"

namespace host::rest {

// Returns true if the sender may act as `agent`. A key of an agent acts only as that agent. A key
// that belongs to no agent can act as each agent that has no `needs_key` in the configuration. With
// the scope `admin`, a key that belongs to no agent can act as every agent.
bool may_act_as(const Services& services, const identity::Visitor& visitor, std::string_view agent);

// Returns the session if the sender may use it, and records the use. Returns null if the sender is
// not allowed to use the session. If the result is null, the caller must answer with no_session().
session::SessionPtr own_session(const Services& services, const Asked& asked, std::string_view id);
// Returns the caller for whom a list is made: the list shows what this caller can see. If the query
// parameter `session` names a session, the caller is in that session. Returns nullopt if the sender
// is not allowed to use the session. If the result is nullopt, answer with no_session().
std::optional<tool::Peer> sees_as(const Services& services, const Asked& asked,
                                  const Parameters& given);
// Answers the HTTP request with 404.
void no_session(const Asked& asked);

}  // namespace host::rest
