#include "router/step/earlier_call.h"

#include <string>
#include <utility>

#include "base/digest.h"
#include "json/canonical.h"
#include "router/live/rounds.h"
#include "router/step/accepted.h"
#include "tool/call/sent_context.h"

namespace host::router {
namespace {

using boost::asio::awaitable;

// Two calls are the same if these digests are equal. They are of arguments and context as sent:
// a reviewer, an interceptor and presets may change them later. Clients may repeat a call with its
// members in a different order.
std::string twin_of(const tool::Call& call) {
  const std::string text = json::canonical(call.arguments.root()) + call.idempotency_key;
  const std::string context = tool::text_of(call.passport->sent);
  if (context.empty()) return to_hex(sha256(text));
  return to_hex(sha256(to_hex(sha256(text)) + context));  // a key may look like a context
}

// Idempotency keys are of one tool. The tools of a session's client are its own: another session
// may have others of the same names.
std::string name_for_keys(const tool::Call& call, const Route& route) {
  if (!route.provider->identity().is_session()) return call.name;
  return call.name + " of " + call.passport->who.session;
}

}  // namespace

void EarlierCall::end() {
  call_.while_running = nullptr;
  const auto claim = std::exchange(claim_, nullptr);
  if (claim && claim.use_count() > 1) claim->outlive_call();
}

void EarlierCall::note_arguments(const Route& route) {
  tool_ = route.tool;
  const bool may_have_twin = parts_.callers && route.tool->declared().external && !call_.recorder;
  if (may_have_twin && call_.passport->origin == tool::Origin::Peer) call_.twin = twin_of(call_);
}

bool EarlierCall::is_first_at_once(const Route& route) {
  asked_ = Idempotency::ask(call_, name_for_keys(call_, route));
  claim_ = std::make_shared<Idempotency::Claim>();
  call_.while_running = claim_;
  return parts_.idempotency.claims_at_once(call_, asked_, *claim_);
}

awaitable<EarlierCall::Found> EarlierCall::find_by_key() {
  parts_.live.enter_phase(call_, tool::Phase::Queued);
  auto found = co_await parts_.idempotency.meet(call_, asked_, *claim_);
  parts_.live.enter_phase(call_, tool::Phase::Checked);
  HOST_CO_TRY_ASSIGN(std::optional<tool::CallResult> result, std::move(found));
  if (result) result = co_await parts_.files.renew(call_, *std::move(result));
  co_return result;
}

bool EarlierCall::has_twin(const Route& route) const {
  return !call_.twin.empty() && parts_.callers->has_twin(call_, *route.tool);
}

awaitable<EarlierCall::Found> EarlierCall::find_by_arguments(const Route& route) {
  HOST_CO_TRY(tell_cleared(call_));
  parts_.live.enter_phase(call_, tool::Phase::WaitsForCaller);
  HOST_CO_TRY_ASSIGN(tool::CallResult result,
                     co_await parts_.callers->join_twin(call_, *route.tool));
  parts_.live.enter_phase(call_, tool::Phase::Checked);
  if (!call_.outcome.empty()) co_return result;  // it has not ended yet
  call_.answered = true;                         // by the tool, in the earlier call
  co_await keep(result);
  call_.answered = false;
  call_.outcome = kReplayed;
  co_return result;
}

awaitable<void> EarlierCall::keep(const Route& route, tool::CallResult& result, Told& told) {
  const bool is_over = call_.answered && !result.round && result.task.empty();
  const bool has_record = route.tool->declared().external;  // which reports the end
  if (told && is_over && !has_record) {
    const Result<tool::CallResult> end = result;
    co_await parts_.ends->ended(call_, end, *std::exchange(told, std::nullopt));
  }
  co_await keep(result);
}

awaitable<Result<tool::CallResult>> EarlierCall::keep_failure(Result<tool::CallResult> failure) {
  Result<tool::CallResult> told = with_kept_key(failure);
  tool::CallResult stored = told ? *told : tool::CallResult::error(told.error().message);
  const bool is_kept = co_await keep(stored);
  if (is_kept) co_return told;
  if (failure) failure->meta = std::move(stored.meta);  // says that it is not kept
  co_return failure;
}

awaitable<bool> EarlierCall::keep(tool::CallResult& result) {
  if (!claim_) co_return false;
  const bool is_kept = co_await parts_.idempotency.keep(call_, result, *claim_);
  co_return is_kept;
}

}  // namespace host::router
