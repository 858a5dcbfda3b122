#include "router/step/session_step.h"

#include <string>

#include "router/step/state_step.h"
#include "tool/definition/definition.h"
#include "tool/definition/tool.h"
#include "tool/provider/provider.h"

namespace host::router {
namespace {

tool::CallResult wrong_session(const std::string& session) {
  return tool::CallResult::error(
      session.empty() ? std::string("/sessionId: this call belongs to no session. Leave it out.")
                      : "/sessionId: must be \"" + session +
                            "\", the session of this call. You can leave it out: the host fills it "
                            "in.");
}

// Only the host says what the state of a session is (state_step.h), and says it anew for each call.
void forget_sent_state(tool::Call& call) {
  const tool::Passport& passport = *call.passport;
  if (!passport.given || !passport.given->entries.contains(kSessionState)) return;
  auto given = std::make_shared<tool::CallContext>(*passport.given);
  given->entries.erase(kSessionState);
  auto made = std::make_shared<tool::Passport>(passport);
  made->given = std::move(given);
  call.passport = std::move(made);
}

}  // namespace

void SessionStep::enter(tool::Call& call) const {
  forget_sent_state(call);
  const tool::Passport& passport = *call.passport;
  if (!sessions_ || passport.who.session.empty()) return;
  sessions_->touch(passport.who.session);
  if (passport.caller) return;  // the outer call has the context already
  const auto session = sessions_->find(passport.who.session, passport.who.principal);
  if (!session || !session->settings.context) return;
  auto given = std::make_shared<tool::CallContext>();
  if (passport.given) *given = *passport.given;
  const session::Context& context = *session->settings.context;
  given->values.insert(context.values.begin(), context.values.end());
  given->entries.insert(context.entries.begin(), context.entries.end());
  given->entries.erase(kSessionState);
  auto made = std::make_shared<tool::Passport>(passport);
  made->given = std::move(given);
  call.passport = std::move(made);
}

std::optional<tool::CallResult> SessionStep::set_session_id(tool::Call& call,
                                                            const tool::Route& route) {
  const bool of_client = route.provider->identity().is_session();
  if (!of_client && route.tool->declares_argument(tool::kSessionId)) return std::nullopt;
  if (!call.arguments.root().IsObject()) call.arguments.root().SetObject();
  json::Value& arguments = call.arguments.root();
  const std::string& session = call.passport->who.session;
  if (const json::Value* const given = json::find(arguments, tool::kSessionId)) {
    const bool same = !session.empty() && given->IsString() && json::text(*given) == session;
    if (!same && (of_client || !session.empty())) {
      call.outcome = tool::kBadArguments;
      return wrong_session(session);
    }
    if (!same || of_client) return std::nullopt;
    arguments.RemoveMember(json::string(tool::kSessionId, call.arguments.allocator()));
    return std::nullopt;
  }
  if (!of_client) return std::nullopt;
  auto& pool = call.arguments.allocator();
  json::set(arguments, tool::kSessionId, json::string(session, pool), pool);
  return std::nullopt;
}

}  // namespace host::router
