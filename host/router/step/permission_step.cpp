#include "router/step/permission_step.h"

#include "executor/executor.h"
#include "tool/call/edits.h"
#include "tool/call/end_words.h"

namespace host::router {
namespace {

using boost::asio::awaitable;

void note(tool::Call& call, const permission::Decision& decision) {
  call.decision = permission::to_string(decision.behavior);
  call.rule = decision.by();
}

permission::Decision ended_session() {
  permission::Decision decision;
  decision.behavior = permission::Behavior::Deny;
  decision.step = permission::Step::LastWord;
  decision.message = "the session of this call has ended";
  return decision;
}

// A `[[rule]]` in the form of config.toml.
std::string as_configured(const permission::Rule& rule) {
  std::string out = "[[rule]] tool = \"" + rule.tool + "\"";
  if (!rule.whole_tool()) out += ", content = '" + *rule.content + "'";
  return out + ", behavior = \"allow\"";
}

}  // namespace

tool::CallResult denial(const tool::Call& call, const permission::Decision& decision) {
  std::string text = "Denied: " + decision.message;
  if (!decision.reason.empty() && decision.reason != decision.message)
    text += " (" + decision.reason + ")";
  // The reason can quote the arguments.
  if (tool::has_edits(call.continuation))
    text = "Denied, after a reviewer changed the arguments of this call.";
  return tool::CallResult::error(text + "\n\"" + call.name + "\" " +
                                 std::string(tool::did_not_run(call)) +
                                 "; do not retry it unchanged.");
}

approval::Request approval_request(const permission::Decision& decision) {
  approval::Request request;
  request.reason = decision.message;
  if (!decision.reason.empty() && decision.reason != decision.message)
    request.reason += " (" + decision.reason + ")";
  request.rules_can_allow = decision.rules_can_allow();
  for (const permission::Rule& rule : decision.suggestions) {
    request.suggestions.push_back(as_configured(rule));
    permission::write(rule, request.rules.emplace_back());
  }
  return request;
}

std::optional<tool::CallResult> PermissionStep::deny_by_name(tool::Call& call) const {
  const tool::Peer& who = call.passport->who;
  permission::RulePtr rule =
      rules_->denial_by_name(call.name, {who.principal, who.agent, who.session});
  if (!rule) return std::nullopt;
  permission::Decision decision;
  decision.behavior = permission::Behavior::Deny;
  decision.step = permission::Step::DenyRule;
  decision.rule = std::move(rule);
  decision.message = "permission to use \"" + call.name + "\" has been denied";
  note(call, decision);
  call.outcome = "denied";
  return denial(call, decision);
}

bool PermissionStep::lost_its_session(const tool::Call& call) const {
  const tool::Peer& who = call.passport->who;
  return sessions_ && !who.session.empty() && !sessions_->find(who.session, who.principal);
}

permission::Request PermissionStep::request_for(const permission::Rulebook& rules,
                                                const tool::Call& call, const Route& route) const {
  const tool::Declaration& declared = route.tool->declared();
  permission::Request request{
      .tool = declared,
      .standing = tool::standing_of(declared, route.provider->identity().kind),
      .arguments = call.arguments.root(),
      .auto_approve = declared.auto_approve};
  const tool::Peer& who = call.passport->who;
  request.agent = rules.of_agent(who.agent);
  request.session = rules.of_session(who.session);
  request.caller = rules.of_caller(who.principal, who.agent);
  if (sessions_ && !who.session.empty()) {
    if (const auto session = sessions_->find(who.session, who.principal))
      request.narrowing = {session->settings.mode, session->settings.working_dirs};
  }
  return request;
}

awaitable<Result<tool::CallResult>> PermissionStep::ask(
    tool::Function function, const tool::Call& call, const Route& route,
    const permission::Engine& engine, const permission::Request& request,
    std::optional<std::string_view> rule_content) {
  std::string context =
      permission::context_text(engine.mode(request), engine.working_dirs(request), rule_content);
  auto answer =
      co_await executor_.ask(route.provider, route.tool, function, call, std::move(context));
  co_return answer;
}

awaitable<permission::Answers> PermissionStep::gather(const permission::Needs& needs,
                                                      const tool::Call& call, const Route& route,
                                                      const permission::Engine& engine,
                                                      const permission::Request& request) {
  permission::Answers answers;
  if (needs.check_read_only) {
    const auto answer = co_await ask(tool::Function::CheckReadOnly, call, route, engine, request);
    answers.read_only = permission::read_read_only(answer);
  }
  if (needs.check_permissions) {
    const auto answer =
        co_await ask(tool::Function::CheckPermissions, call, route, engine, request);
    answers.check = permission::read_check(answer);
  }
  for (const std::string_view content : needs.match_rule) {
    const auto answer =
        co_await ask(tool::Function::MatchRule, call, route, engine, request, content);
    answers.matches.push_back({std::string(content), permission::read_match(answer)});
  }
  co_return answers;
}

std::optional<permission::Decision> PermissionStep::decide_at_once(tool::Call& call,
                                                                   const Route& route) {
  std::optional<permission::Decision> decision;
  if (lost_its_session(call)) {
    decision = ended_session();
  } else {
    decision = rules_->engine.decide_without_answers(request_for(*rules_, call, route));
    if (!decision || decision->wants_suggestions) return std::nullopt;
    call.judged_to_read = decision->judged_to_read;
  }
  note(call, *decision);
  return decision;
}

awaitable<permission::Decision> PermissionStep::decide(tool::Call& call, const Route& route,
                                                       permission::Trace* trace) {
  permission::Decision decision = ended_session();
  if (lost_its_session(call)) {
    note(call, decision);
    co_return decision;
  }
  const auto rules = rules_;  // the same policy during the whole decision
  const permission::Engine& engine = rules->engine;
  permission::Request request = request_for(*rules, call, route);
  request.trace = trace;
  permission::Answers answers;
  const permission::Needs needs = engine.needs(request);
  if (needs.any()) {
    answers = co_await gather(needs, call, route, engine, request);
    request.answers = &answers;
  }
  decision = engine.decide(request);
  if (lost_its_session(call)) decision = ended_session();  // while the tool was asked
  if (decision.wants_suggestions) {
    const auto answer =
        co_await ask(tool::Function::GenerateSuggestions, call, route, engine, request);
    permission::suggest(decision, permission::read_suggestions(answer, route.tool->name()));
  }
  call.judged_to_read = decision.judged_to_read;
  note(call, decision);
  co_return decision;
}

permission::Decision PermissionStep::not_offered(tool::Call& call) {
  permission::Decision decision;
  decision.behavior = permission::Behavior::Deny;
  decision.step = permission::Step::LastWord;
  decision.message =
      "while the call waited, its tool was withdrawn, or its session changed and "
      "does not offer this tool any more, or offers it with a different definition";
  note(call, decision);
  return decision;
}

bool PermissionStep::Basis::operator==(const Basis& other) const {
  if (rules != other.rules || !session != !other.session) return false;
  return session == other.session || session::act_alike(session->settings, other.session->settings);
}

PermissionStep::Basis PermissionStep::basis_of(const tool::Call& call) const {
  const tool::Peer& who = call.passport->who;
  const bool has_session = sessions_ && !who.session.empty();
  return {rules_, has_session ? sessions_->find(who.session, who.principal) : nullptr};
}

PermissionStep::Standing PermissionStep::standing(const tool::Call& call,
                                                  const Route& route) const {
  const auto rules = rules_;
  const permission::Request request = request_for(*rules, call, route);
  return {std::string(permission::to_string(rules->engine.mode(request))),
          rules->engine.working_dirs(request)};
}

permission::Decision PermissionStep::decide_post(const tool::Call& call, const Route& route) const {
  if (lost_its_session(call)) return ended_session();
  const auto rules = rules_;
  return rules->engine.decide_post(request_for(*rules, call, route));
}

std::optional<tool::CallResult> PermissionStep::deny_post(tool::Call& call,
                                                          const Route& route) const {
  const permission::Decision decision = decide_post(call, route);
  note(call, decision);
  if (decision.behavior != permission::Behavior::Deny) return std::nullopt;
  call.outcome = "denied";
  return denial(call, decision);
}

}  // namespace host::router
