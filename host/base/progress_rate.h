// Limits how often the progress of one call is told: 20 reports at once, and after that 20 reports
// in a second. The rate keeps the last report that came too soon, so that the end of the call does
// not lose it. A ProgressRate is not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/rate_limit.h"

namespace host {

struct ProgressReport {
  double done = 0;
  double total = 0;  // 0: not known
  std::string message;
};

class ProgressRate {
 public:
  static constexpr double kBurst = 20;
  static constexpr double kPerSecond = 20;

  // `clock` must outlive the ProgressRate.
  explicit ProgressRate(const Clock& clock) : limit_(clock, kBurst, kPerSecond) {}

  // Returns true if the report can be told now. Returns false if it comes too soon: then the rate
  // keeps this report in place of an earlier one.
  bool take(double done, double total, std::string_view message) {
    if (limit_.take()) {
      kept_.reset();
      return true;
    }
    kept_ = ProgressReport{done, total, std::string(message)};
    return false;
  }
  // Returns the last report if it came too soon, and forgets it. Tell this report when the call
  // ends.
  std::optional<ProgressReport> take_kept() { return std::exchange(kept_, std::nullopt); }
  // Call forget_kept() if a later report was told without take().
  void forget_kept() { kept_.reset(); }

 private:
  RateLimit limit_;
  std::optional<ProgressReport> kept_;
};

}  // namespace host
