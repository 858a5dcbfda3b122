// A plugin's state on its way from one generation to the next. While it is on its way no call is
// inside the old one; calls that come meanwhile queue there. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>

#include "plugin/serving/generation.h"
#include "plugin/wire/saved_state.h"

namespace host::plugin {

// Holds the calls of `from` as long as it lives; then they go on there, unless it went on to the
// next generation.
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

  // Waits for the calls that are inside, then for save(). DeadlineExceeded after `timeout`;
  // Unavailable where no worker is up: then there is nothing to hand over.
  boost::asio::awaitable<Result<SavedState>> take_state(std::chrono::milliseconds timeout);

  void end_at(std::shared_ptr<Generation> next) {
    from_->release_calls_to(std::move(next));
    from_.reset();
  }

 private:
  std::shared_ptr<Generation> from_;
};

}  // namespace host::plugin
