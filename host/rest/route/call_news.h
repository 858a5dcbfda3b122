// Reports that calls have begun, ended or changed their phase. CallNews makes at most one report
// per interval kEvery, and only while at least one follower exists. If there is no follower,
// CallNews costs nothing per call. The functions of this header are called on the I/O thread.
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

  // The CallNews calls `tell` at the end of each interval in which calls have changed. `calls` must
  // outlive the CallNews.
  CallNews(const boost::asio::any_io_executor& io, router::LiveCalls& calls,
           std::function<void()> tell)
      : calls_(calls), tell_(std::move(tell)), pause_(io) {}

  // The CallNews notifies the follower until the caller releases the returned pointer.
  using Follower = std::shared_ptr<const void>;
  Follower follow();

 private:
  void await_change();
  void changed();

  router::LiveCalls& calls_;
  const std::function<void()> tell_;
  boost::asio::steady_timer pause_;
  std::weak_ptr<const void> follower_;  // all followers share this pointer
  bool awaiting_ = false;               // true: waits for a change, or for the end of an interval
};

}  // namespace host::rest
