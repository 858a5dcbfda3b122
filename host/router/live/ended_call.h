// The answer to a call that the host or an operator ended, not its caller. I/O thread only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::router {

struct EndedCall {
  std::string_view outcome;  // for the audit
  std::string words;         // for the client
};

// How the host or an operator ended this call. nullopt: they did not, or the caller itself
// cancelled the call and gets no answer.
std::optional<EndedCall> ended_call(const tool::Call& call, const Result<tool::CallResult>& result);

// The outcome of a call that arrives while the host stops.
inline constexpr std::string_view kRefusedByStop = "refused_by_stop";
inline constexpr const char* kStopping =
    "This host is stopping and takes no new calls. Call again when it has started again.";

}  // namespace host::router
