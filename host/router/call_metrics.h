// Counts the calls of both roads, beside their audit lines: a hash of the name and an addition, no
// allocation for what was counted before. I/O thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "metrics/registry.h"
#include "tool/call.h"
#include "tool/result.h"

namespace host::router {

class CallMetrics {
 public:
  explicit CallMetrics(metrics::Registry& registry);
  CallMetrics(const CallMetrics&) = delete;
  CallMetrics& operator=(const CallMetrics&) = delete;

  // One call on its road, waiting or running. It may end after this: with the event loop.
  class [[nodiscard]] Flight {
   public:
    explicit Flight(std::shared_ptr<std::uint64_t> count) : count_(std::move(count)) { ++*count_; }
    ~Flight() { --*count_; }
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;

   private:
    const std::shared_ptr<std::uint64_t> count_;
  };
  Flight begin() { return Flight(in_flight_); }
  std::uint64_t in_flight() const { return *in_flight_; }

  void ended(const tool::Call& call, const Result<tool::CallResult>& result, SteadyTime now);

 private:
  metrics::Family& calls_;
  metrics::Family& durations_;
  const std::shared_ptr<std::uint64_t> in_flight_ = std::make_shared<std::uint64_t>(0);
};

}  // namespace host::router
