#include "router/live/ended_call.h"

#include <utility>

#include "router/live/live_calls.h"
#include "tool/call/end_words.h"

namespace host::router {
namespace {

// Whether the tool may have done something, now or before it asked its client.
bool may_have_begun(const tool::Call& call) {
  return call.continues || call.phase == tool::Phase::Running ||
         call.phase == tool::Phase::AsksClient;
}

constexpr const char* kNotBegun = " while it still waited: it did not run and changed nothing. ";

EndedCall by_operator(const tool::Call& call) {
  if (call.function != tool::Function::Call)
    return {"ended_by_operator", "an operator ended this request"};
  return {"ended_by_operator",
          tool::end_words(tool::EndedBy::Operator, call.name, may_have_begun(call))};
}

EndedCall by_stop(const tool::Call& call) {
  if (call.function != tool::Function::Call)
    return {"ended_by_stop",
            "this host is stopping and ended this request: repeat it when it has started again"};
  if (!may_have_begun(call))
    return {"ended_by_stop", "This host is stopping and ended this call of \"" + call.name + "\"" +
                                 kNotBegun + "Call again when the host has started again."};
  // A repeated detached call gets the record of this one. If another call keeps its key, the
  // dispatcher adds that.
  const bool keeps_key = call.recorder && !call.idempotency_key.empty();
  return {"ended_by_stop", "This host is stopping and ended this call of \"" + call.name +
                               "\". What it did until then stands. Call again when the host has "
                               "started again, if it does no harm twice" +
                               (keeps_key ? ", with a new idempotency key." : ".")};
}

EndedCall by_credential(const tool::Call& call) {
  if (call.function != tool::Function::Call)
    return {"ended_by_credential",
            "the key, login or token that allowed this request is not valid any more"};
  return {"ended_by_credential",
          tool::end_words(tool::EndedBy::Credential, call.name, may_have_begun(call))};
}

}  // namespace

std::optional<EndedCall> ended_call(const tool::Call& call,
                                    const Result<tool::CallResult>& result) {
  if (result || result.error().kind != ErrorKind::Cancelled) return std::nullopt;
  switch (call.cancel->by()) {
    case Cancel::By::Operator:
      return by_operator(call);
    case Cancel::By::Stop:
      return by_stop(call);
    case Cancel::By::Credential:
      return by_credential(call);
    case Cancel::By::Asker:
      break;
  }
  return std::nullopt;
}

std::optional<EndedCall> ended_wait(const tool::Call& call) {
  // Without a decision, the outcome is about another call with the same idempotency key, which has
  // not ended.
  const bool waits_for_reviewer = call.outcome == "pending" && !call.decision.empty();
  const bool waits = waits_for_reviewer || call.outcome == tool::kAsked;
  // A detached call waits for the reviewer again when the host has started again.
  if (!call.continues || call.ran || call.recorder || !waits) return std::nullopt;
  return by_stop(call);
}

Result<tool::CallResult> as_ended(tool::Call& call, const LiveCalls& live,
                                  Result<tool::CallResult> result) {
  // A task goes on when the host has started again. No other call can do that.
  if (call.outcome == tool::kAsked && (call.outlives || !live.refuses(call))) return result;
  auto ended = ended_call(call, result);
  if (!ended && live.refuses(call)) ended = ended_wait(call);
  if (!ended) return result;
  call.outcome = ended->outcome;
  return tool::CallResult::error(std::move(ended->words));
}

Result<tool::CallResult> as_answer(Result<tool::CallResult> result) {
  if (result) return result;
  switch (result.error().kind) {
    case ErrorKind::Cancelled:
    case ErrorKind::DeadlineExceeded:
    case ErrorKind::Internal:
    case ErrorKind::Io:
      return result;
    default:
      return tool::CallResult::error(result.error().message);
  }
}

}  // namespace host::router
