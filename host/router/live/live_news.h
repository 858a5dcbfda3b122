// Passes progress, partial results and log lines of a session's calls to clients that read the
// session's event stream. If a call has no session, or no client reads the events of its session,
// nothing is sent and the call has no overhead. The functions of this header are called on the I/O
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/progress_rate.h"
#include "base/rate_limit.h"
#include "tool/call/call.h"

namespace host::router {

class LiveNews {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual bool follows(std::string_view session) const = 0;
    // LiveNews calls progress() only for calls of a session for which follows() returns true.
    // `total` is 0 if it is not known.
    virtual void progress(const tool::Call& call, double done, double total,
                          std::string_view message) = 0;
    // `left_out` is the number of earlier lines that were dropped because they came too fast.
    virtual void log(const tool::Call& call, int level, std::string_view logger,
                     std::string_view message, std::size_t left_out) = 0;
  };

  LiveNews() = default;
  LiveNews(const LiveNews&) = delete;
  LiveNews& operator=(const LiveNews&) = delete;

  // Sets the listener, and replaces an earlier listener. listen(nullptr) removes the listener.
  void listen(Listener* listener) { listener_ = listener; }
  Listener* listener_for(std::string_view session) const {
    return listener_ && listener_->follows(session) ? listener_ : nullptr;
  }

 private:
  Listener* listener_ = nullptr;
};

// Observes one call while it runs, in addition to the call's own observer. The destructor of
// LiveWatch ends the observation, and sends a progress report that was delayed because it came too
// fast.
class LiveWatch final : public tool::Observer {
 public:
  // `news` can be null. The arguments must outlive the LiveWatch.
  LiveWatch(const LiveNews* news, tool::Call& call, const Clock& clock);
  ~LiveWatch() override;
  LiveWatch(const LiveWatch&) = delete;
  LiveWatch& operator=(const LiveWatch&) = delete;

  bool filters() const override { return inner_ && inner_->filters(); }
  void progress(double done, double total, std::string_view message) override;
  void log(int level, std::string_view logger, std::string_view message,
           std::string_view json_fields) override;

 private:
  LiveNews::Listener* listener() const;
  void tell_kept();

  const LiveNews* const news_;
  tool::Call& call_;
  tool::Observer* const inner_;  // null: the call had no observer before
  ProgressRate steps_;
  RateLimit lines_;
  std::optional<double> last_;
  bool passed_limit_ = false;  // true: the last step was sent although the rate limit was reached
  std::size_t left_out_ = 0;
};

}  // namespace host::router
