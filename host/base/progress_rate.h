// A ProgressRate limits how often the host sends the progress of one call: 20 reports without a
// pause, and after that 20 reports in a second. A ProgressRate keeps the last report that came too
// soon, so that it can be sent at the end of the call. A ProgressRate is not thread-safe.
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
  double total = 0;  // 0: the total is not known
  std::string message;
};

class ProgressRate {
 public:
  static constexpr double kBurst = 20;
  static constexpr double kPerSecond = 20;

  // `clock` must outlive the ProgressRate.
  explicit ProgressRate(const Clock& clock) : limit_(clock, kBurst, kPerSecond) {}

  // Returns true if the report can be sent now. Returns false if the rate limit is exceeded. The
  // ProgressRate keeps a report that exceeds the rate limit, in place of the report that it kept
  // earlier.
  bool take(double done, double total, std::string_view message) {
    if (limit_.take()) {
      kept_.reset();
      return true;
    }
    kept_ = ProgressReport{done, total, std::string(message)};
    return false;
  }
  // Returns the kept report, if there is one, and then forgets the report. Send the returned report
  // when the call ends.
  std::optional<ProgressReport> take_kept() { return std::exchange(kept_, std::nullopt); }
  // Call forget_kept() after you have sent a later report without take().
  void forget_kept() { kept_.reset(); }

 private:
  RateLimit limit_;
  std::optional<ProgressReport> kept_;
};

}  // namespace host
