// A hand-over passes a plugin's state from one generation to the next. During the hand-over, no
// call runs in the old generation, and new calls are queued. However, a call for which a running
// call waits is not queued. The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <utility>

#include "plugin/serving/generation.h"
#include "plugin/wire/saved_state.h"

namespace host::plugin {

// A Handover queues the calls of the generation `from` until the Handover is destroyed. The queued
// calls then run in the next generation if end_at() was called, and otherwise in the generation
// `from`.
class Handover {
 public:
  Handover(boost::asio::any_io_executor io, std::shared_ptr<Generation> from)
      : io_(std::move(io)), from_(std::move(from)) {
    from_->hold_calls();
  }
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;
  ~Handover() {
    if (from_) from_->release_calls();
  }

  // Waits until the running calls have ended, and then requests the plugin's state. Returns the
  // Error DeadlineExceeded after `timeout`, or if the plugin still saves its state for an earlier
  // hand-over. Returns the Error Unavailable if no worker is running, because without a worker
  // there is no state.
  boost::asio::awaitable<Result<SavedState>> take_state(std::chrono::milliseconds timeout);

  // Passes the queued calls to `next`. The plugin instance of the generation `from` ends when its
  // last call and its save() have ended, although call routes can still refer to the generation.
  void end_at(std::shared_ptr<Generation> next);

 private:
  const boost::asio::any_io_executor io_;
  std::shared_ptr<Generation> from_;
};

}  // namespace host::plugin
