// Tells that calls come, go on and end, a few times a second at most. Where nobody follows, nothing
// is done for any call. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>

#include "router/live_calls.h"

namespace host::rest {

class CallNews : public std::enable_shared_from_this<CallNews> {
 public:
  static constexpr std::chrono::milliseconds kEvery{250};

  // `tell` is run after each stretch of time in which something changed. `calls` outlives it.
  CallNews(const boost::asio::any_io_executor& io, router::LiveCalls& calls,
           std::function<void()> tell)
      : calls_(calls), tell_(std::move(tell)), pause_(io) {}

  // Until it is dropped.
  using Follower = std::shared_ptr<const void>;
  Follower follow();

 private:
  void await_change();
  void changed();

  router::LiveCalls& calls_;
  const std::function<void()> tell_;
  boost::asio::steady_timer pause_;
  std::weak_ptr<const void> follower_;  // of all who follow
  bool awaiting_ = false;               // a change, or the end of the stretch that one began
};

}  // namespace host::rest
