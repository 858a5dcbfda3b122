#include "upstream/call/ended_calls.h"

#include <utility>

#include "tool/call/record.h"
#include "upstream/call/call_form.h"
#include "upstream/call/round_state.h"

namespace host::upstream {

EndedCalls::EndedCalls(std::string upstream, std::shared_ptr<const Secrets> secrets)
    : upstream_(std::move(upstream)), secrets_(std::move(secrets)) {}

void EndedCalls::take(std::shared_ptr<tool::Invocation> invocation, const Target&) {
  invocation->outcome = tool::kUpstreamFailed;
  if (!has_begun(*invocation))
    return void(invocation->refuse(failure_of(*invocation, upstream_, why_, *secrets_)));
  if (is_asked(invocation->continuation.state))
    return void(
        invocation->refuse(failure_of(*invocation, upstream_, can_continue(why_), *secrets_)));
  invocation->may_have_acted = !may_be_repeated(*invocation);
  invocation->finish(
      failure_of(*invocation, upstream_, cannot_continue(*invocation, why_), *secrets_));
}

}  // namespace host::upstream
