// Counts the calls that pass the pipelines Dispatcher and OfferDispatcher. Counting a call
// allocates memory only for the first call of a tool with an outcome. The functions of this header
// are called on the I/O thread.
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "metrics/registry.h"
#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::router {

class CallMetrics {
 public:
  explicit CallMetrics(metrics::Registry& registry);
  CallMetrics(const CallMetrics&) = delete;
  CallMetrics& operator=(const CallMetrics&) = delete;

  void ended(const tool::Call& call, const Result<tool::CallResult>& result, SteadyTime now);

 private:
  metrics::Family& calls_;
  metrics::Family& durations_;
};

}  // namespace host::router
