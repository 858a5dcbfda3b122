// A OneShot lets code on the I/O thread wait for something that happens once. Include this header
// only in .cpp files, because it takes long to compile.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>

namespace host::mcp {

class OneShot {
 public:
  explicit OneShot(const boost::asio::any_io_executor& executor) : timer_(executor) {}

  void set() {
    done_ = true;
    timer_.cancel();
  }

  // Returns true if set() was called before the wait timed out.
  boost::asio::awaitable<bool> wait_for(std::chrono::milliseconds timeout) {
    if (done_) co_return true;
    timer_.expires_after(timeout);
    co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    co_return done_;
  }
  boost::asio::awaitable<void> wait() {
    if (done_) co_return;
    timer_.expires_at(std::chrono::steady_clock::time_point::max());
    co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  }

 private:
  boost::asio::steady_timer timer_;
  bool done_ = false;
};

}  // namespace host::mcp
