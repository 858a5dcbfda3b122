#include "rest/route/session_access.h"

#include "session/sessions.h"
#include "transport/http/json_answer.h"

namespace host::rest {

bool may_act_as(const Services& services, const identity::Visitor& visitor,
                std::string_view agent) {
  if (!visitor.agent.empty()) return visitor.agent == agent;
  if (agent.empty()) return true;
  const config::Agent* const profile = config::agent(services.config, agent);
  return profile && (!profile->needs_key || visitor.principal.scopes.has(Scope::Admin));
}

session::SessionPtr own_session(const Services& services, const Asked& asked, std::string_view id) {
  session::SessionPtr session = services.sessions->find(id, asked.visitor.principal.name);
  if (!session || !may_act_as(services, asked.visitor, session->agent)) return nullptr;
  services.sessions->touch(id);
  return session;
}

void no_session(const Asked& asked) {
  transport::answer_error(asked.exchange, transport::Problem::NotFound,
                          "there is no such session: it may have ended");
}

}  // namespace host::rest
