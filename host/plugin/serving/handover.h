// Hands a plugin's state over from one generation to the next. Meanwhile no call runs in the old
// generation, and new calls are queued there. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>

#include "plugin/serving/generation.h"
#include "plugin/wire/saved_state.h"

namespace host::plugin {

// Queues the calls of `from` while this object exists. Afterwards they run in `from`, or in the
// next generation if it took over.
class Handover {
 public:
  explicit Handover(std::shared_ptr<Generation> from) : from_(std::move(from)) {
    from_->hold_calls();
  }
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;
  ~Handover() {
    if (from_) from_->release_calls();
  }

  // Waits for running calls, then for save(). DeadlineExceeded after `timeout`. Unavailable if no
  // worker is running: then there is no state to hand over.
  boost::asio::awaitable<Result<SavedState>> take_state(std::chrono::milliseconds timeout);

  void end_at(std::shared_ptr<Generation> next) {
    from_->release_calls_to(std::move(next));
    from_.reset();
  }

 private:
  std::shared_ptr<Generation> from_;
};

}  // namespace host::plugin
