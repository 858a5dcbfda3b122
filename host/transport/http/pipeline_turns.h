// Serves connections whose next request has arrived before the response to the previous request was
// written. Each iteration of the event loop serves only a few connections with pipelined requests,
// so that other clients do not wait long.
#pragma once

#include <boost/asio/io_context.hpp>
#include <deque>
#include <functional>
#include <memory>

namespace host::transport {

// Use PipelineTurns only on the thread of the event loop. A PipelineTurns object must be owned by a
// shared_ptr.
class PipelineTurns : public std::enable_shared_from_this<PipelineTurns> {
 public:
  explicit PipelineTurns(boost::asio::io_context& io) : io_(io) {}

  // Calls `go` in one of the next iterations of the event loop, after the functions that were
  // passed to wait() earlier.
  void wait(std::function<void()> go);

  // Drops all waiting entries.
  void clear() { waiting_.clear(); }

 private:
  void run_later();
  void run();

  boost::asio::io_context& io_;
  std::deque<std::function<void()>> waiting_;
  bool posted_ = false;
};

}  // namespace host::transport
