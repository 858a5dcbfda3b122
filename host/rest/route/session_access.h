// Decides who may use a session: its principal, acting as the agent of the session. Any other
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

// A key of an agent acts only as that agent. Other keys also act as agents without `needs_key`.
// Administrators act as every agent.
bool may_act_as(const Services& services, const identity::Visitor& visitor, std::string_view agent);

// The session, if the sender may use it. This counts as a use of the session. null: answer with
// no_session().
session::SessionPtr own_session(const Services& services, const Asked& asked, std::string_view id);
// Who the sender is for lists: in the session of the query's `session`, or without a session.
// nullopt: the sender may not use that session, answer with no_session().
std::optional<tool::Peer> sees_as(const Services& services, const Asked& asked,
                                  const Parameters& given);
// Answers with 404.
void no_session(const Asked& asked);

}  // namespace host::rest
