// Notifies of changes to calls, at most a few times a second. Without followers there is no
// overhead. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>

#include "router/live/live_calls.h"

namespace host::rest {

class CallNews : public std::enable_shared_from_this<CallNews> {
 public:
  static constexpr std::chrono::milliseconds kEvery{250};

  // `tell` runs after each interval with a change. `calls` must outlive it.
  CallNews(const boost::asio::any_io_executor& io, router::LiveCalls& calls,
           std::function<void()> tell)
      : calls_(calls), tell_(std::move(tell)), pause_(io) {}

  // Notifications continue until the pointer is released.
  using Follower = std::shared_ptr<const void>;
  Follower follow();

 private:
  void await_change();
  void changed();

  router::LiveCalls& calls_;
  const std::function<void()> tell_;
  boost::asio::steady_timer pause_;
  std::weak_ptr<const void> follower_;  // shared by all followers
  bool awaiting_ = false;               // waits for a change, or for the end of an interval
};

}  // namespace host::rest
