#include "session/progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "protocol/mcp.h"

namespace host::session {

bool Progress::may_send() {
  const SteadyTime now = clock_.steady();
  if (any_) {
    const std::chrono::duration<double> passed = now - refilled_;
    allowance_ = std::min(kBurst, allowance_ + passed.count() * kPerSecond);
  }
  refilled_ = now;
  if (allowance_ < 1) return false;
  allowance_ -= 1;
  return true;
}

void Progress::progress(double done, double total, std::string_view message) {
  if (!wanted() || !std::isfinite(done) || !std::isfinite(total)) return;
  if (any_ && done <= last_) return;
  const bool allowed = may_send();
  const bool last_step = total > 0 && done >= total;
  if (!allowed && !last_step) return;
  any_ = true;
  last_ = done;
  outlet_->send(protocol::progress_notification(token_, done, total, message, version_));
}

}  // namespace host::session
