// What the answer says to a call that somebody other than its caller ended. I/O thread only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tool/call.h"
#include "tool/result.h"

namespace host::router {

struct EndedCall {
  std::string_view outcome;  // for the audit
  std::string words;         // for whoever waits for the answer
};

// How this call was ended by the host or its operator. Nothing: it was not, or whoever made it took
// it back and waits for no answer.
std::optional<EndedCall> ended_call(const tool::Call& call, const Result<tool::CallResult>& result);

// The outcome of a call that comes while the host stops.
inline constexpr std::string_view kRefusedByStop = "refused_by_stop";
inline constexpr const char* kStopping =
    "This host is stopping and takes no new calls. Call again when it has started again.";

}  // namespace host::router
