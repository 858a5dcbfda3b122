#include "router/step/state_step.h"

#include <memory>
#include <string>
#include <utility>

#include "json/object_text.h"
#include "tool/tool.h"

namespace host::router {

session::SessionPtr StateStep::session_of(const tool::Call& call) const {
  const tool::Peer& who = call.passport->who;
  if (!sessions_ || who.session.empty()) return nullptr;
  return sessions_->find(who.session, who.principal);
}

std::optional<tool::CallResult> StateStep::refusal(tool::Call& call,
                                                   const tool::Route& route) const {
  if (!route.tool->declared().state_injected || session_of(call)) return std::nullopt;
  call.outcome = "no_session";
  return tool::CallResult::error("\"" + call.name +
                                 "\" works with the state of a session, and this call belongs to "
                                 "no session. Create one with POST /v1/sessions and call through "
                                 "its endpoint.");
}

void StateStep::inject(tool::Call& call, const tool::Route& route) const {
  if (!route.tool->declared().state_injected) return;
  const session::SessionPtr session = session_of(call);
  if (!session) return;  // it ended while the call waited: the entry is absent
  const PermissionStep::Standing standing = permission_.standing(call, route);
  std::string state = "{";
  json::add_member(state, "version", std::to_string(session->version));
  json::add_text(state, "mode", standing.mode);
  json::add_member(state, "groups", json::list_of(router_.active_groups(call.passport->who)));
  json::add_member(state, "working_dirs", json::list_of(standing.working_dirs));
  json::add_member(state, "todos",
                   session->settings.todos ? session::text_of(*session->settings.todos) : "[]");
  auto given = std::make_shared<tool::CallContext>();
  if (call.passport->given) *given = *call.passport->given;
  given->entries.insert_or_assign(kSessionState, state + "}");
  auto made = std::make_shared<tool::Passport>(*call.passport);
  made->given = std::move(given);
  call.passport = std::move(made);
}

}  // namespace host::router
