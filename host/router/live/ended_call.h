// The result of a call that the host or an operator ended. The functions of this header are called
// on the I/O thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::router {

class LiveCalls;

struct EndedCall {
  std::string_view outcome;  // the outcome for the audit
  std::string words;         // the text for the client
};

// Returns the outcome and the text if the host or an operator ended this call. Returns nullopt for
// any other end of the call, for example if the caller cancelled it.
std::optional<EndedCall> ended_call(const tool::Call& call, const Result<tool::CallResult>& result);

// Returns the outcome and the text if the tool has begun this call, and because the host stops, the
// call no longer waits for a reviewer, or its client cannot send the answer to a new question. No
// later request can continue such a call. Call ended_wait() only while the host stops, and not for
// a task that waits for its client.
std::optional<EndedCall> ended_wait(const tool::Call& call);

// Returns the result that the caller of an ended call gets. A caller that cancelled its own call
// gets no answer, so the Error stays. If the host or an operator ended the call, as_ended() sets
// the outcome of the call, and the caller gets the text.
Result<tool::CallResult> as_ended(tool::Call& call, const LiveCalls& live,
                                  Result<tool::CallResult> result);

// Turns a provider's fault into a result that the model can read and work around. Errors about the
// call itself stay errors.
Result<tool::CallResult> as_answer(Result<tool::CallResult> result);

// The audit outcome of a call that arrives while the host stops.
inline constexpr std::string_view kRefusedByStop = "refused_by_stop";
inline constexpr const char* kStopping =
    "This host is stopping and takes no new calls. Call again when it has started again.";

}  // namespace host::router
