#include "router/dispatch/dispatcher.h"

#include <utility>

#include "executor/executor.h"
#include "executor/scheduler.h"
#include "router/live/ended_call.h"
#include "router/live/rounds.h"
#include "router/step/accepted.h"
#include "router/step/edited_call.h"
#include "router/step/refusals.h"
#include "router/toolkit/find_tools.h"
#include "store/audit/audit.h"
#include "tool/call/edits.h"
#include "tool/call/end_words.h"
#include "tool/call/fault_text.h"
#include "tool/call/record.h"
#include "tool/call/recorder.h"

// If a step already has the result, the call ends with it.
#define HOST_CO_LEAVE_WITH(...) \
  if (std::optional<tool::CallResult> answer = (__VA_ARGS__)) co_return std::move(*answer)
// The same for a step that may also fail. `step` is named because of g++ 12 (base/result.h).
#define HOST_CO_PASS(...) HOST_CO_PASS_INNER(HOST_CONCAT(host_step_, __LINE__), __VA_ARGS__)
#define HOST_CO_PASS_INNER(step, ...)                          \
  auto step = __VA_ARGS__;                                     \
  if (!step) co_return ::host::Error(std::move(step).error()); \
  if (*step) co_return **std::move(step)
// The same for a step that has something to do for few calls: all others pay for no coroutine.
#define HOST_CO_PASS_IF(needed, ...) \
  if (needed) {                      \
    HOST_CO_PASS(__VA_ARGS__);       \
  }

namespace host::router {
namespace {

using boost::asio::awaitable;

tool::CallResult changed_meanwhile(const tool::Call& call) {
  return tool::CallResult::error(
      "\"" + call.name + "\" " + std::string(tool::did_not_run(call)) +
      ": it needs an approval since the rules or files that it depends on changed. Call again to "
      "ask for it.");
}

// Puts the passport of a call back. A plugin's run has the state of the session in its passport,
// with what the plugin keeps there: nobody else gets it, neither interceptors nor post_ tools.
class PassportOfRun {
 public:
  explicit PassportOfRun(tool::Call& call) : call_(call), passport_(call.passport) {}
  PassportOfRun(const PassportOfRun&) = delete;
  PassportOfRun& operator=(const PassportOfRun&) = delete;
  ~PassportOfRun() { call_.passport = std::move(passport_); }

 private:
  tool::Call& call_;
  tool::PassportPtr passport_;
};

// The result as the client gets it, before it is stored.
Result<tool::CallResult> told_to_client(tool::Call& call, const LiveCalls& live,
                                        const tool::Tool* tool, Result<tool::CallResult> result) {
  result = tool::without_fault_text(call, as_ended(call, live, std::move(result)));
  if (call.outcome == kReplayed) return result;
  return with_earlier_rounds(call, live, tool, std::move(result));
}

// The tool has begun the call in an earlier round, and never ends it. call() stores such a failure,
// once it is what the client gets.
bool has_lost_its_tool(const tool::Call& call) {
  return call.continues && call.may_have_acted;
}

bool was_executed(const tool::Call& call) {
  return call.recorder && call.recorder->was_executed();
}

}  // namespace

Dispatcher::Dispatcher(const Parts& parts, CheckTurns& turns)
    : parts_(parts),
      check_turns_(turns),
      result_check_(parts_.result_bytes, check_turns_),
      post_tools_([this](tool::Call& call, const Route& route) { return run_post(call, route); }),
      approval_(parts_.router, parts_.permission, parts_.gate, parts_.live),
      state_(parts_.router, parts_.permission, parts_.session.sessions(), parts_.desk) {}

awaitable<Result<tool::CallResult>> Dispatcher::call(tool::Call& call) {
  call.started = parts_.clock.steady();
  const auto entry = parts_.live.enter(call);
  EarlierCall::Told told = parts_.ends ? parts_.ends->begins(call) : std::nullopt;
  EarlierCall earlier(
      {parts_.idempotency, parts_.live, parts_.callers, parts_.result_files, parts_.ends}, call);
  std::string arguments = on_call_.empty() ? std::string() : json::write(call.arguments.root());
  Result<tool::CallResult> result = Error{ErrorKind::Internal, "the call did not end"};
  try {
    result =
        co_await pass_gates_and_run(call, on_call_.empty() ? nullptr : &arguments, earlier, told);
  } catch (const std::exception& fault) {
    result = Error{ErrorKind::Internal, std::string("an exception: ") + fault.what()};
  }
  result = told_to_client(call, parts_.live, earlier.tool(), std::move(result));
  if (has_lost_its_tool(call)) result = co_await earlier.keep_failure(std::move(result));
  earlier.end();
  if (!call.receipts.empty()) co_await tool::give_back(call.receipts);  // no run has used them
  const bool is_told = record_end(call, result) || call.outcome == kReplayed;
  for (const Listener& listener : on_call_) listener(call, arguments, result);
  if (told && !is_told) co_await parts_.ends->ended(call, result, *std::move(told));
  co_return result;
}

// The call pipeline, in its order. Each line is one named step. No step blocks a thread while it
// waits.
awaitable<Result<tool::CallResult>> Dispatcher::pass_gates_and_run(tool::Call& call,
                                                                   std::string* sent,
                                                                   EarlierCall& earlier,
                                                                   EarlierCall::Told& told) {
  HOST_CO_LEAVE_WITH(refusal_by_stop(parts_.live, call));
  parts_.session.enter(call);
  auto found = parts_.router.take_route(call);  // unknown and hidden look alike
  if (!found) {
    HOST_CO_LEAVE_WITH(parts_.router.in_inactive_group(call));
  }
  HOST_CO_TRY_ASSIGN(Route route, std::move(found));
  call.provider = route.provider->name();
  if (was_executed(call)) {
    auto rest = co_await pass_rest(call, route);
    co_return rest;
  }
  HOST_CO_LEAVE_WITH(parts_.permission.deny_by_name(call));
  HOST_CO_LEAVE_WITH(  // from here on a call of call_tool is a call of the other tool
      take_inner_call(call, route, parts_.router, parts_.permission, arguments_, sent));
  call.provider = route.provider->name();
  earlier.note_arguments(route);
  HOST_CO_LEAVE_WITH(state_.refusal(call, route));
  if (parts_.interceptors) {  // from here on the call is what they made of it
    Interceptors::Before before = begin_intercepting(call, route);
    if (before.waits) {
      HOST_CO_TRY_ASSIGN(before.result, co_await intercept(call, route, std::move(before)));
    }
    if (before.result) {
      HOST_CO_LEAVE_WITH(other_fault_behind_failure(call, route, parts_.attachments));
      auto end = co_await result_check_.check(call, *std::move(before.result), route.tool);
      co_return end;
    }
    undo_late_change(call);
  }
  HOST_CO_LEAVE_WITH(take_idempotency_key(call, *route.tool));
  HOST_CO_LEAVE_WITH(SessionStep::set_session_id(call, route));
  HOST_CO_LEAVE_WITH(parts_.attachments.take(call, route));
  if (check_turns_.must_wait(call)) {
    HOST_CO_TRY(co_await check_turns_.wait(call));
  }
  HOST_CO_LEAVE_WITH(check_arguments(call, route));
  HOST_CO_PASS_IF(earlier.has_key() && !earlier.is_first_at_once(route),
                  co_await earlier.find_by_key());
  HOST_CO_LEAVE_WITH(take_arguments_of_run(call, route));  // if the call goes on after a question
  HOST_CO_PASS_IF(AttachmentStep::has_unresolved(call), co_await parts_.attachments.resolve(call));
  HOST_CO_LEAVE_WITH(refusal_by_failing_audit(parts_.audit, call));  // before a person is asked
  std::optional<ApprovalStep::Judged> judged = approval_.judge_at_once(call, route);
  if (!judged) judged = co_await approval_.judge(call, route);
  const bool is_denied = judged->decision.behavior == permission::Behavior::Deny;
  HOST_CO_PASS_IF(!is_denied && earlier.has_twin(route),  // asked once, not asked again
                  co_await earlier.find_by_arguments(route));
  HOST_CO_PASS_IF(!approval_.passes_at_once(call, *judged, route),
                  co_await pass_approval(call, route, *std::move(judged)));
  HOST_CO_PASS_IF(route.tool->declared().asks_person,
                  co_await approval_.pass_question(call, route));
  HOST_CO_TRY(tell_cleared(call));   // from here on a long call may continue as a task
  bool judged_now = !call.approved;  // false also once the client has answered a round of questions
  const RunOnce once = [&] { return run_as_judged(call, route, std::exchange(judged_now, false)); };
  HOST_CO_TRY_ASSIGN(
      tool::CallResult result,
      co_await run_in_rounds(call, parts_.live, *route.provider, route.tool.get(), once));
  if (has_work_after_run(call, route, result))
    result = co_await after_run(call, route, std::move(result));
  if (tool::has_edits(call.continuation)) result = with_edits(std::move(result), kept_edits(call));
  if (earlier.has_key() && !has_lost_its_tool(call)) co_await earlier.keep(route, result, told);
  co_return result;
}

awaitable<Result<std::optional<tool::CallResult>>> Dispatcher::pass_approval(
    tool::Call& call, const Route& route, ApprovalStep::Judged judged) {
  auto end = co_await approval_.pass(call, route, std::move(judged));
  if (end && *end) **end = with_edits(std::move(**end), kept_edits(call));
  co_return end;
}

// Functions that never wait run here, so that they cost no coroutine.
Interceptors::Before Dispatcher::begin_intercepting(tool::Call& call, const Route& route) {
  if (!call.recorder) return parts_.interceptors->before_at_once(call, route);
  Interceptors::Before all;  // once the store has the call
  all.waits = is_intercepted(call, route);
  return all;
}

awaitable<Result<std::optional<tool::CallResult>>> Dispatcher::intercept(
    tool::Call& call, const Route& route, Interceptors::Before&& before) {
  if (call.recorder) return intercept_accepted(call, route);
  return parts_.interceptors->before(call, route, std::move(before));
}

awaitable<Result<std::optional<tool::CallResult>>> Dispatcher::intercept_accepted(
    tool::Call& call, const Route& route) {
  HOST_CO_TRY(co_await is_accepted(call));
  auto end = co_await parts_.interceptors->before(call, route);
  co_return end;
}

bool Dispatcher::has_work_after_run(const tool::Call& call, const Route& route,
                                    const tool::CallResult& result) const {
  const bool has_followers = call.answered && (PostTools::follow(call, route, result) ||
                                               parts_.result_files.may_link(call, result));
  return has_followers || !result_check_.is_met_by(result, *route.tool);
}

awaitable<tool::CallResult> Dispatcher::after_run(tool::Call& call, const Route& route,
                                                  tool::CallResult result) {
  if (!result_check_.is_met_by(result, *route.tool))
    result = co_await result_check_.check(call, std::move(result), route.tool);
  if (!call.answered) co_return result;  // an interceptor may have answered instead of the tool
  if (PostTools::follow(call, route, result)) {
    if (is_for_callers(route))
      co_await parts_.callers->checked(call, with_edits(result, kept_edits(call)));
    result = co_await post_tools_.finish(call, route, std::move(result));
  }
  if (parts_.result_files.may_link(call, result))
    result = co_await parts_.result_files.link(call, std::move(result));
  co_return result;
}

// The pipeline of a call that a caller has executed already: while no call waited for it, or before
// the host was started again.
awaitable<Result<tool::CallResult>> Dispatcher::pass_rest(tool::Call& call, const Route& route) {
  call.arguments_text = json::write(call.arguments.root());
  HOST_CO_TRY_ASSIGN(tool::CallResult result, co_await run(call, route, executor::Slot()));
  result = co_await after_run(call, route, std::move(result));
  co_return with_edits(std::move(result), kept_edits(call));
}

bool Dispatcher::is_for_callers(const Route& route) const {
  return parts_.callers && route.tool->declared().external;
}

// Absent and null members, presets, schema.
std::optional<tool::CallResult> Dispatcher::check_arguments(tool::Call& call, const Route& route) {
  const CheckTurns::Began began = check_turns_.began();
  auto unmet = arguments_.prepare(call, *route.tool);
  check_turns_.ended(call.passport->who.principal, began);
  return unmet;
}

// A client that answers a question of the tool sends its own arguments again. The call goes on with
// those with which the tool ran: a reviewer or an interceptor can have changed them.
std::optional<tool::CallResult> Dispatcher::take_arguments_of_run(tool::Call& call,
                                                                  const Route& route) {
  if (!take_run_arguments(call)) return std::nullopt;
  std::optional<tool::CallResult> unmet = SessionStep::set_session_id(call, route);
  if (!unmet) unmet = check_arguments(call, route);
  if (unmet && tool::has_edits(call.continuation)) return invalid_edits(call);
  return unmet;
}

// A decision depends on files and rules, which can change. So it is made again for a call that had
// to wait since, once the call has its slot and nothing can change any more before it runs. If it
// needs approval now, it waits for that without the slot.
awaitable<Result<tool::CallResult>> Dispatcher::run_as_judged(tool::Call& call, const Route& route,
                                                              bool judged_now) {
  for (;;) {
    std::optional<tool::CallResult> full = refusal_by_queue(parts_.scheduler, call, route);
    std::optional<executor::Slot> free;
    if (!full) free = take_free_slot(call, route);
    Result<executor::Slot> found = executor::Slot();
    if (free) {
      found = *std::move(free);
    } else if (!full) {
      found = co_await wait_for_slot(call, route);
    }
    if (full || !found) {
      const bool again = co_await may_try_again(call);
      if (!again && full) co_return *std::move(full);
      if (!again) co_return found.error();
      judged_now = false;
      continue;
    }
    executor::Slot slot = *std::move(found);
    if (parts_.audit.required()) {  // which waits for the disk
      std::optional<tool::CallResult> refusal = co_await refusal_by_audit(call);
      HOST_CO_LEAVE_WITH(std::move(refusal));
    }
    const bool begins = call.recorder && !route.tool->declared().external;
    if (begins) {  // which waits for the disk, too
      HOST_CO_TRY(co_await call.recorder->begins(call));
    }
    ApprovalStep::Judged judged;
    bool runs = true;
    if (!judged_now || slot.was_waited_for() || parts_.audit.required() || begins)
      runs = co_await is_judged_so_again(call, route, judged);
    if (runs) {
      auto result = co_await run(call, route, std::move(slot));
      if (result && result->round && call.ran) keep_run_arguments(call);
      co_return result;
    }
    slot.release();
    HOST_CO_PASS(co_await approval_.pass(call, route, std::move(judged)));
    judged_now = !call.approved;
  }
}

// After approval by a reviewer or a code, only a deny rule can still stop the call.
awaitable<bool> Dispatcher::is_judged_so_again(tool::Call& call, const Route& route,
                                               ApprovalStep::Judged& judged) {
  const std::string word = call.decision;
  const std::string rule = call.rule;
  judged = co_await approval_.judge(call, route);
  const permission::Decision& decision = judged.decision;
  if (decision.behavior == permission::Behavior::Allow && !call.approved) co_return true;
  if (decision.behavior == permission::Behavior::Deny || !call.approved) co_return false;
  call.decision = word;  // for the audit log: the reason why it runs
  call.rule = rule;
  co_return true;
}

// Nothing: it is on the disk that the call begins.
awaitable<std::optional<tool::CallResult>> Dispatcher::refusal_by_audit(tool::Call& call) {
  const auto recorded = co_await parts_.audit.begin(call);
  if (recorded) co_return std::nullopt;
  call.outcome = "not_recorded";
  co_return tool::CallResult::error(recorded.error().message);
}

std::optional<executor::Slot> Dispatcher::take_free_slot(tool::Call& call, const Route& route) {
  parts_.live.enter_phase(call, tool::Phase::Queued);
  return parts_.scheduler.enter_at_once(call, route.tool);
}

awaitable<Result<executor::Slot>> Dispatcher::wait_for_slot(tool::Call& call, const Route& route) {
  parts_.live.enter_phase(call, tool::Phase::Queued);
  auto slot = co_await parts_.scheduler.enter(call, route.tool);
  if (!slot && slot.error().kind == ErrorKind::Unavailable) call.outcome = kBusy;
  co_return slot;
}

// A call with a record of its own needs no answer now, so it keeps what it has found and waits.
awaitable<bool> Dispatcher::may_try_again(tool::Call& call) {
  if (!call.recorder || call.outcome != kBusy) co_return false;
  parts_.live.enter_phase(call, tool::Phase::Queued);
  const bool again = co_await call.recorder->waits_for_room();
  if (again) call.outcome.clear();
  co_return again;
}

bool Dispatcher::is_intercepted(const tool::Call& call, const Route& route) const {
  return parts_.interceptors && parts_.interceptors->cover(call, route);
}

// Inside the interceptors that cover the call. Whoever follows the session sees what they let pass.
awaitable<Result<tool::CallResult>> Dispatcher::run(tool::Call& call, const Route& route,
                                                    executor::Slot slot) {
  call.answered = false;  // in an earlier round
  parts_.live.enter_phase(call, tool::Phase::Running);
  const bool opens = AttachmentStep::has_closed(call);
  HOST_CO_PASS_IF(opens, co_await parts_.attachments.open(call));
  const LiveWatch watch(parts_.news, call, parts_.clock);
  const auto around = parts_.interceptors ? parts_.interceptors->around_of(call, route)
                                          : Interceptors::Around::Nothing;
  if (around == Interceptors::Around::Nothing) {
    auto result = co_await run_provider(call, route, std::move(slot));
    if (opens) AttachmentStep::close(call);
    co_return result;
  }
  const bool entered = around == Interceptors::Around::Enter;
  const Interceptors::Run inner = [&] {
    return entered ? run_entered(call, route, std::move(slot))
                   : run_provider(call, route, std::move(slot));
  };
  auto result = co_await parts_.interceptors->around(call, route, inner);
  if (opens) AttachmentStep::close(call);
  co_return result;
}

// Files and rules may have changed while interceptors were entered, so the call is judged once
// more. If it needs an approval now, its next call asks for it: the slot is not kept while a person
// waits.
awaitable<Result<tool::CallResult>> Dispatcher::run_entered(tool::Call& call, const Route& route,
                                                            executor::Slot slot) {
  if (was_executed(call)) {
    // nothing can stop it any more
  } else if (route.tool->tool_class() == tool::Class::Post) {
    HOST_CO_LEAVE_WITH(parts_.permission.deny_post(call, route));
  } else {
    ApprovalStep::Judged judged;
    const bool runs = co_await is_judged_so_again(call, route, judged);
    if (!runs) {
      call.outcome = "denied";
      co_return judged.decision.behavior == permission::Behavior::Deny
          ? denial(call, judged.decision)
          : changed_meanwhile(call);
    }
  }
  if (call.deadline != SteadyTime{} && parts_.clock.steady() >= call.deadline)
    co_return Error{ErrorKind::DeadlineExceeded, "the time of the call was over before it ran"};
  auto result = co_await run_provider(call, route, std::move(slot));
  co_return result;
}

// Nothing can refuse the call any more but its provider. So this is the place to use up what let it
// pass.
awaitable<Result<tool::CallResult>> Dispatcher::run_provider(tool::Call& call, const Route& route,
                                                             executor::Slot slot) {
  const bool is_handed_over = is_for_callers(route);
  if (is_handed_over) {
    const auto prepared = co_await parts_.callers->prepare(call, *route.tool);
    if (!prepared) co_return as_answer(prepared.error());
  }
  const PassportOfRun passport(call);
  if (route.tool->declared().state_injected) co_await state_.inject(call, route);
  if (!call.receipts.empty()) {
    const auto spent = co_await tool::spend(call.receipts);
    if (!spent && spent.error().kind == ErrorKind::Denied) call.outcome = "denied";
    if (!spent) co_return as_answer(spent.error());
  }
  if (is_handed_over) parts_.live.enter_phase(call, tool::Phase::WaitsForCaller);
  auto result = co_await parts_.executor.run(route.provider, route.tool, call, std::move(slot));
  if (is_handed_over) parts_.live.enter_phase(call, tool::Phase::Running);
  if (call.ran) call.receipts.clear();
  call.answered = result.has_value();
  co_return as_answer(std::move(result));
}

awaitable<Result<tool::CallResult>> Dispatcher::run_without_judgement(tool::Call& call,
                                                                      const Route& route) {
  HOST_CO_LEAVE_WITH(refusal_by_queue(parts_.scheduler, call, route));
  HOST_CO_TRY_ASSIGN(executor::Slot slot, co_await wait_for_slot(call, route));
  if (parts_.audit.required()) {
    std::optional<tool::CallResult> refusal = co_await refusal_by_audit(call);
    HOST_CO_LEAVE_WITH(std::move(refusal));
  }
  auto result = co_await run(call, route, std::move(slot));
  co_return result;
}

// The shorter pipeline of a post_ tool. Its action's approval covers it, so only deny rules can
// stop it.
awaitable<Result<tool::CallResult>> Dispatcher::run_post(tool::Call& call, const Route& route) {
  call.started = parts_.clock.steady();
  call.provider = route.provider->name();
  std::optional<tool::CallResult> unmet = parts_.permission.deny_post(call, route);
  if (!unmet) unmet = state_.refusal(call, route);
  if (!unmet && is_intercepted(call, route)) {
    auto end = co_await parts_.interceptors->before(call, route);
    unmet = end ? std::move(*end) : tool::CallResult::error(end.error().message);
  }
  if (!unmet) unmet = SessionStep::set_session_id(call, route);
  if (!unmet) {
    unmet = check_arguments(call, route);
    if (unmet && tool::has_edits(call.continuation)) unmet = invalid_edits(call);
  }
  Result<tool::CallResult> result = Error{};
  if (unmet) {
    result = std::move(*unmet);
  } else {
    result = co_await run_without_judgement(call, route);
    if (result) result = co_await result_check_.check(call, std::move(*result), route.tool);
  }
  record_end(call, result);
  co_return result;
}

// Also of denied and failed calls. Returns true if webhooks learn of the end from a stored record.
bool Dispatcher::record_end(const tool::Call& call, const Result<tool::CallResult>& result) {
  const bool is_told = parts_.callers && parts_.callers->ended(call, result);
  parts_.audit.record(call, result);
  parts_.metrics.ended(call, result, parts_.clock.steady());
  return is_told;
}

}  // namespace host::router
