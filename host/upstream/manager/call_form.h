// A call as a request to its upstream, and the upstream's answer as the result of the call. Pure.
#pragma once

#include <string>

#include "base/result.h"
#include "tool/call/invocation.h"
#include "upstream/connection/request.h"
#include "upstream/connection/secrets.h"

namespace host::upstream {

// Whether a call that may have been carried out can be sent again.
bool may_be_repeated(const tool::Invocation& call);

// Without callbacks. `target`: as the upstream names the tool, resource or prompt. `resumed`: what
// a call of 2026-07-28 that asked continues with.
Request request_of(const tool::Invocation& call, const std::string& target,
                   const tool::Continuation& resumed);

// Of an answer that is a result or a refusal. `upstream`: its name, for errors.
Result<tool::CallResult> result_of(const Answer& answer, const tool::Invocation& call,
                                   const std::string& upstream, const Secrets& secrets);

// Of a call that got no answer.
Result<tool::CallResult> failure_of(const tool::Invocation& call, const std::string& upstream,
                                    const std::string& why);

}  // namespace host::upstream
