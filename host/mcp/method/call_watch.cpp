#include "mcp/method/call_watch.h"

#include <cmath>
#include <utility>

#include "protocol/log_level.h"
#include "protocol/notifications.h"

namespace host::mcp {

void CallWatch::progress(double done, double total, std::string_view message) {
  if (!wants_progress()) return;
  if (!std::isfinite(done) || !std::isfinite(total)) return;
  if (last_ && done <= *last_) return;
  if (outlet_->is_behind()) return;
  if (!steps_.take(done, total, message)) {
    // A plugin can send any number of "last" steps: only one passes the limit.
    const bool last_step = total > 0 && done >= total;
    if (!last_step || std::exchange(passed_limit_, true)) return;
    steps_.forget_kept();
  }
  send(done, total, message);
}

void CallWatch::send(double done, double total, std::string_view message) {
  last_ = done;
  outlet_->send(
      protocol::progress_notification(wish_.progress_token, done, total, message, version_));
}

void CallWatch::finish() {
  const std::optional<ProgressReport> kept = steps_.take_kept();
  if (kept && !outlet_->is_behind()) send(kept->done, kept->total, kept->message);
}

void CallWatch::log(int level, std::string_view logger, std::string_view message,
                    std::string_view json_fields) {
  if (!wants_log() || level < *wish_.log_level) return;
  if (outlet_->is_behind() || !lines_.take()) {
    ++dropped_;
    return;
  }
  if (dropped_ > 0) {
    outlet_->send(protocol::log_notification(
        protocol::kWarning, "toolpost",
        std::to_string(dropped_) + " lines came too fast and were left out", {}));
    dropped_ = 0;
  }
  outlet_->send(protocol::log_notification(level, logger, message, json_fields));
}

}  // namespace host::mcp
