// The road of what is offered beside tools: a resource that is read, a prompt that is got, an
// argument that is completed. Shorter than a tool's, and like it written once: resolve, arguments,
// slot, rounds, result; every outcome is audited. I/O thread only.
//
// Permission rules and groups name tools, so none of them is asked here: an operator who does not
// want a plugin's resources read does not load it, or leaves it out of an agent's profile. What a
// provider offers it must be ready to show to every peer that may see it at all.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "router/call_metrics.h"
#include "router/live_calls.h"
#include "router/profiles.h"
#include "tool/call.h"
#include "tool/result.h"

namespace host::executor {
class Executor;
class Scheduler;
}  // namespace host::executor
namespace host::store {
class Audit;
}

namespace host::router {

class OfferDispatcher {
 public:
  struct Parts {
    const Profiles& profiles;
    executor::Scheduler& scheduler;
    executor::Executor& executor;
    store::Audit& audit;
    const Clock& clock;
    std::uint64_t result_bytes;
    CallMetrics& metrics;
    LiveCalls& live;
  };
  explicit OfferDispatcher(const Parts& parts) : parts_(parts) {}

  // Runs one call of Function::ReadResource, GetPrompt or Complete to its end and records it.
  // call.name is the URI, the prompt's name, or what a completion is for; call.arguments are as
  // tool/invocation.h says. The answer is CallResult::structured as tool/offer.h says, or a round.
  // An Error is one of those of Dispatcher::call(), or
  //   InvalidArgument   arguments that the prompt or template does not take
  //   PluginFault       what was offered failed, or gave no such answer
  boost::asio::awaitable<Result<tool::CallResult>> call(tool::Call& call);

 private:
  boost::asio::awaitable<Result<tool::CallResult>> resolve_and_run(tool::Call& call);
  boost::asio::awaitable<Result<tool::CallResult>> schedule_and_run(
      tool::Call& call, const std::shared_ptr<tool::Provider>& provider);

  Parts parts_;
};

}  // namespace host::router
