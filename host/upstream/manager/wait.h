// Waits for a callback that is called once, also if the call comes before the wait begins. The
// functions of Wait are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <utility>

#include "base/result.h"

namespace host::upstream {

struct Wait {
  explicit Wait(const boost::asio::any_io_executor& io)
      : timer(io, boost::asio::steady_timer::time_point::max()) {}

  void end(Result<void> with) {
    over = true;
    outcome = std::move(with);
    timer.cancel();
  }

  boost::asio::steady_timer timer;
  bool over = false;
  Result<void> outcome;
};

inline boost::asio::awaitable<Result<void>> wait_for(std::shared_ptr<Wait> wait) {
  while (!wait->over)
    co_await wait->timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  co_return wait->outcome;
}

}  // namespace host::upstream
