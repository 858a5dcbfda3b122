// Decides who may use a session: the session's principal, acting as the session's agent. Any other
// sender gets the same answer as for a session that does not exist.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rest/route/route.h"
#include "rest/wire/parameters.h"
#include "session/session.h"
#include "tool/call/peer.h"

namespace host::rest {

// A key of an agent acts only as that agent. Any other key can also act as each agent that has no
// `needs_key` in the configuration. If such a key has the scope `admin`, it can act as every agent.
bool may_act_as(const Services& services, const identity::Visitor& visitor, std::string_view agent);

// Returns the session if the sender may use it, and records the use. Returns null if the sender may
// not use it; then answer with no_session().
session::SessionPtr own_session(const Services& services, const Asked& asked, std::string_view id);
// Who the sender is for lists: in the session of the query's `session`, or without a session.
// nullopt: the sender may not use that session, answer with no_session().
std::optional<tool::Peer> sees_as(const Services& services, const Asked& asked,
                                  const Parameters& given);
// Answers with 404.
void no_session(const Asked& asked);

}  // namespace host::rest
