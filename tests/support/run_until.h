// Runs the handlers of an I/O context until a condition is met.
#pragma once

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>

#include "base/clock.h"

namespace host::test {

// Returns false if the condition is not met within a minute.
inline bool run_until(boost::asio::io_context& io, const std::function<bool()>& is_met) {
  const auto most = steady_now() + std::chrono::minutes(1);
  while (!is_met() && steady_now() < most) {
    io.restart();
    io.run_one_for(std::chrono::seconds(1));
  }
  return is_met();
}

}  // namespace host::test
