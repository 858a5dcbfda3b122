#include "router/step/approval_step.h"

#include <utility>

#include "approval/approved_mark.h"
#include "approval/question.h"
#include "router/step/accepted.h"
#include "router/step/edited_call.h"
#include "router/step/result_step.h"
#include "router/step/session_step.h"
#include "tool/call/edits.h"
#include "tool/call/recorder.h"

namespace host::router {
namespace {

using boost::asio::awaitable;
using permission::Behavior;

bool needs_code(const Route& route) {
  return route.tool->tool_class() == tool::Class::Private;
}

bool asks(const permission::Decision& decision, const Route& route) {
  if (decision.behavior == Behavior::Deny) return false;
  return decision.behavior == Behavior::Ask || needs_code(route);
}

}  // namespace

void ApprovalStep::deny_if_not_offered(tool::Call& call, const Route& route,
                                       permission::Decision& decision) const {
  if (decision.behavior != Behavior::Deny && !router_.still_offers(call, route))
    decision = PermissionStep::not_offered(call);
}

std::optional<ApprovalStep::Judged> ApprovalStep::judge_at_once(tool::Call& call,
                                                                const Route& route) {
  std::optional<permission::Decision> decision = permission_.decide_at_once(call, route);
  if (!decision) return std::nullopt;
  deny_if_not_offered(call, route, *decision);
  return Judged{*std::move(decision), permission_.basis_of(call)};
}

awaitable<ApprovalStep::Judged> ApprovalStep::judge(tool::Call& call, const Route& route) {
  Judged judged;
  judged.basis = permission_.basis_of(call);
  judged.decision = co_await permission_.decide(call, route);
  deny_if_not_offered(call, route, judged.decision);
  co_return judged;
}

bool ApprovalStep::passes_at_once(const tool::Call& call, const Judged& judged,
                                  const Route& route) const {
  const permission::Decision& decision = judged.decision;
  return decision.behavior == Behavior::Allow && !asks(decision, route) &&
         !(decision.rule && decision.rule->of_approval) && !gate_.may_have_asked(call, *route.tool);
}

awaitable<Result<std::optional<tool::CallResult>>> ApprovalStep::pass(tool::Call& call,
                                                                      const Route& route,
                                                                      Judged judged) {
  approval::Passage passage;
  for (;;) {
    const permission::Decision& decision = judged.decision;
    if (decision.behavior == Behavior::Deny) {
      call.outcome = "denied";
      co_return denial(call, decision);
    }
    if (!asks(decision, route)) {
      if (decision.rule && decision.rule->of_approval) {
        gate_.runs_by_always(call, *route.tool, build_of(route));
      } else {
        gate_.runs_unasked(call, *route.tool, build_of(route));
      }
      co_return std::nullopt;
    }
    HOST_CO_TRY_ASSIGN(passage, co_await ask(call, route, judged));
    if (!passage.judge_again) break;
    judged = co_await judge(call, route);
  }
  call.approved = !passage.unmet;
  co_return std::move(passage.unmet);
}

awaitable<Result<approval::Passage>> ApprovalStep::ask(tool::Call& call, const Route& route,
                                                       Judged& judged) {
  HOST_CO_TRY(co_await is_accepted(call));
  const bool code = needs_code(route);
  approval::Request request = approval_request(judged.decision);
  if (call.continues) request.reason += "; the tool began this call before it asked its question";
  if (tool::has_edits(call.continuation))
    request.reason += "; a reviewer has already changed the arguments that the client sent";
  request.covered = names_after(route);
  request.build = build_of(route);
  request.needs_code = code;
  request.code_is_yes = !judged.decision.is_by_ask_rule();
  request.still_needed = [this, &call, &route, &judged] { return still_asks(call, route, judged); };
  if (call.recorder) {
    request.on_question = [&call, code](std::string_view approval) {
      call.recorder->waits(code ? tool::kWaitsForCode : tool::kWaitsForApproval, approval);
    };
  }
  const std::string before = call.arguments_text;
  live_.enter_phase(call, tool::Phase::WaitsForApproval);
  auto passed = co_await gate_.pass(call, *route.tool, request);
  while (!passed && passed.error().kind == ErrorKind::Unavailable && call.recorder) {
    const bool again = co_await call.recorder->waits_for_room();  // for one question more
    if (!again) break;
    passed = co_await gate_.pass(call, *route.tool, request);
  }
  live_.enter_phase(call, tool::Phase::Checked);
  if (call.recorder && passed && !passed->unmet) call.recorder->waits({}, {});
  if (passed && passed->edited) {
    passed->unmet = co_await check_edits(call, route, before);
    if (!passed->unmet) approval::mark_approved(call, *route.tool, request);
  }
  co_return passed;
}

// If the decision is another kind of question now, the one that the reviewer sees stays: it asks
// for the same run.
awaitable<bool> ApprovalStep::still_asks(tool::Call& call, const Route& route, Judged& judged) {
  if (permission_.basis_of(call) == judged.basis) co_return true;
  judged = co_await judge(call, route);
  co_return asks(judged.decision, route);
}

awaitable<Result<std::optional<tool::CallResult>>> ApprovalStep::pass_question(tool::Call& call,
                                                                               const Route& route) {
  if (!route.tool->declared().asks_person) co_return std::nullopt;
  const std::string faults = approval::faults_of_question(call.arguments.root());
  if (!faults.empty()) co_return invalid_arguments(call, route.tool->name(), faults);
  HOST_CO_TRY(co_await is_accepted(call));
  live_.enter_phase(call, tool::Phase::WaitsForApproval);
  if (call.recorder) call.recorder->waits(tool::kWaitsForAnswer, {});
  HOST_CO_TRY_ASSIGN(std::optional<tool::CallResult> unanswered,
                     co_await gate_.ask_question(call, *route.tool));
  live_.enter_phase(call, tool::Phase::Checked);
  if (call.recorder && !unanswered) call.recorder->waits({}, {});
  co_return unanswered;
}

// Arguments that a reviewer changed are checked against schema and deny rules like a model's. They
// need no second approval.
awaitable<std::optional<tool::CallResult>> ApprovalStep::check_edits(tool::Call& call,
                                                                     const Route& route,
                                                                     const std::string& before) {
  std::optional<tool::CallResult> unmet = SessionStep::set_session_id(call, route);
  if (!unmet) unmet = arguments_.prepare(call, *route.tool);
  const std::string after = unmet ? json::write(call.arguments.root()) : call.arguments_text;
  keep_edits(call, changed_members(before, after));
  if (unmet) co_return invalid_edits(call);
  const permission::Decision decision = co_await permission_.decide(call, route);
  if (decision.behavior != Behavior::Deny) {
    // For the audit log: the reviewer is the reason why it runs, not the second decision.
    call.rule = approval::kByPerson;
    co_return std::nullopt;
  }
  call.outcome = "denied";
  co_return denial(call, decision);
}

}  // namespace host::router
