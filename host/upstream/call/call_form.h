// Turns a call into a request to its upstream, and the upstream's response into the result of the
// call. The functions of call_form.h have no side effects. The error messages of calls are made
// only in call_form.h, with the upstream's secrets hidden. The host hides no secrets in the
// upstream's own results.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json.h"
#include "tool/call/function.h"
#include "tool/call/invocation.h"
#include "tool/definition/upstream_state.h"
#include "upstream/connection/request.h"
#include "upstream/connection/secrets.h"

namespace host::upstream {

// If a call is parked (calls.h), the `state` of its Continuation begins with kParked.
inline constexpr std::string_view kParked = tool::kParkedState;
inline bool is_parked(std::string_view state) {
  return state.starts_with(kParked);
}

// Returns true if a call can be sent again without harm, although the upstream has perhaps executed
// it already.
bool may_be_repeated(const tool::Invocation& call);

// Returns true if the upstream asked in an earlier round of the call, after it had begun the call.
bool has_begun(const tool::Invocation& call);

// Makes the request of a call, without its callbacks. `target` is the upstream's own name for the
// tool, resource or prompt. `resumed` contains the state and the client's answers if the upstream
// has ended an earlier request of the call with questions (protocol version 2026-07-28).
Request request_of(const tool::Invocation& call, const std::string& target,
                   const tool::Continuation& resumed);

// Makes the result of a call from the upstream's result. An Error says what is malformed, and must
// be passed to malformed(). Any thread can call read_result().
Result<tool::CallResult> read_result(const json::Value& result, tool::Function function);

// Makes the result of a call whose result is malformed. `upstream` is the upstream's name.
Result<tool::CallResult> malformed(const Error& why, tool::Function function,
                                   const std::string& upstream, const Secrets& secrets);

// Makes the result of a call that the upstream refused with an error of JSON-RPC.
Result<tool::CallResult> refusal_of(const protocol::ForeignError& refusal, tool::Function function,
                                    const std::string& upstream, const Secrets& secrets);

// Makes the error of a call whose resource, prompt or template the upstream no longer has.
Error missing_of(tool::Function function, const std::string& upstream);

// Makes the result of a call that got no response.
Result<tool::CallResult> failure_of(const tool::Invocation& call, const std::string& upstream,
                                    const std::string& why, const Secrets& secrets);

// Returns the reason for failure_of() if the upstream has asked, but the call cannot continue.
std::string cannot_continue(const tool::Invocation& call, const std::string& why);

// Returns the reason for failure_of() if the upstream has asked, and the call did not reach the
// upstream now, but can still continue.
std::string can_continue(const std::string& why);

// Returns a question as the client gets it. The message to the user names the upstream.
tool::Question shown_question(tool::Question question, const std::string& upstream,
                              const Secrets& secrets);

}  // namespace host::upstream
