// Who may use a session: its principal, as the agent that the session is for. Everybody else gets
// the same answer as for a session that does not exist.
#pragma once

#include <string>
#include <string_view>

#include "rest/route/route.h"
#include "session/session.h"

namespace host::rest {

// A key of an agent acts as that agent only. Other keys also act as agents that need no key of
// their own, and administrators as each agent.
bool may_act_as(const Services& services, const identity::Visitor& visitor, std::string_view agent);

// The session if the sender may use it, which counts as a use. null: answer with no_session().
session::SessionPtr own_session(const Services& services, const Asked& asked, std::string_view id);
// 404.
void no_session(const Asked& asked);

}  // namespace host::rest
