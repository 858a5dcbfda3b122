// Counts the calls of both pipelines. To count a known name takes a hash and an addition, without
// an allocation. I/O thread only.
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
