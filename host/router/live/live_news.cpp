#include "router/live/live_news.h"

#include <cmath>
#include <utility>

namespace host::router {
namespace {

constexpr double kBurst = 20;
constexpr double kPerSecond = 20;
constexpr int kLowestLevel = 1;  // without debug lines

}  // namespace

LiveWatch::LiveWatch(const LiveNews* news, tool::Call& call, const Clock& clock)
    : news_(news),
      call_(call),
      inner_(call.observer),
      steps_(clock),
      lines_(clock, kBurst, kPerSecond) {
  if (news_ && !call.passport->who.session.empty()) call.observer = this;
}

LiveWatch::~LiveWatch() {
  tell_kept();
  call_.observer = inner_;
}

// Only a call that this watch observes has told it progress.
void LiveWatch::tell_kept() {
  const std::optional<ProgressReport> kept = steps_.take_kept();
  LiveNews::Listener* const listening = kept ? listener() : nullptr;
  if (listening) listening->progress(call_, kept->done, kept->total, kept->message);
}

LiveNews::Listener* LiveWatch::listener() const {
  return news_->listener_for(call_.passport->who.session);
}

// Drops progress that does not grow, and progress that comes too fast, except the last report. Only
// one last step passes this limit at once, because a plugin can send any number of them.
void LiveWatch::progress(double done, double total, std::string_view message) {
  if (inner_ && inner_->wants_progress()) inner_->progress(done, total, message);
  LiveNews::Listener* const listening = listener();
  if (!listening || !std::isfinite(done) || !std::isfinite(total)) return;
  if (last_ && done <= *last_) return;
  if (!steps_.take(done, total, message)) {
    const bool last_step = total > 0 && done >= total;
    if (!last_step || std::exchange(passed_limit_, true)) return;
    steps_.forget_kept();
  }
  last_ = done;
  listening->progress(call_, done, total, message);
}

void LiveWatch::log(int level, std::string_view logger, std::string_view message,
                    std::string_view json_fields) {
  if (inner_ && inner_->wants_log()) inner_->log(level, logger, message, json_fields);
  LiveNews::Listener* const listening = listener();
  if (!listening || level < kLowestLevel) return;
  if (!lines_.take()) {
    ++left_out_;
    return;
  }
  listening->log(call_, level, logger, message, std::exchange(left_out_, 0));
}

}  // namespace host::router
