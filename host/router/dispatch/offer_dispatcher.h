// OfferDispatcher is the pipeline for requests that read a resource, get a prompt or complete an
// argument. The steps of this pipeline are: find the provider, check the arguments, wait for a
// slot, run the provider, and check the result. The provider runs again after each time the client
// has answered its questions. The audit log records every outcome. The functions of this header are
// called on the I/O thread.
//
// An upstream can return a link to a resource that it has just made. If a resource is in no list,
// the pipeline therefore first waits for new lists from the upstreams that have announced changed
// resources.
//
// Permission rules and groups name tools, so they do not apply to resources, prompts and
// completions. A client that can see a provider can read everything that the provider offers. To
// hide a plugin's resources and prompts, an operator disables the plugin, or leaves the plugin out
// of an agent's profile.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "router/live/call_metrics.h"
#include "router/live/live_calls.h"
#include "router/view/views.h"
#include "tool/call/call.h"
#include "tool/call/result.h"

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
    Views& views;
    executor::Scheduler& scheduler;
    executor::Executor& executor;
    store::Audit& audit;
    const Clock& clock;
    std::uint64_t result_bytes;
    CallMetrics& metrics;
    LiveCalls& live;
  };
  explicit OfferDispatcher(const Parts& parts) : parts_(parts) {}

  // Runs one call of Function::ReadResource, GetPrompt or Complete to its end and writes its audit
  // line. For ReadResource, call.name is the URI. For GetPrompt, call.name is the prompt's name.
  // For Complete, call.name is the URI or prompt for which the client wants a completion.
  // tool/call/function.h describes call.arguments. The result is in CallResult::structured as
  // tool/definition/offer.h describes, or it contains questions to the client. The function returns
  // the Errors of Dispatcher::call() and two more. InvalidArgument means that the prompt or
  // template does not accept the arguments. PluginFault means that the plugin failed, or that its
  // answer is not valid.
  boost::asio::awaitable<Result<tool::CallResult>> call(tool::Call& call);

 private:
  boost::asio::awaitable<Result<tool::CallResult>> resolve_and_run(tool::Call& call);
  boost::asio::awaitable<Result<std::shared_ptr<tool::Provider>>> find_provider(tool::Call& call);
  boost::asio::awaitable<Result<tool::CallResult>> schedule_and_run(
      tool::Call& call, const std::shared_ptr<tool::Provider>& provider);

  Parts parts_;
};

}  // namespace host::router
