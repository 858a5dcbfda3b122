// Connections whose next request arrived before the answer to the previous one. A few of them are
// served in each turn of the loop, so that clients which send one request at a time need not wait
// for all of them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <deque>
#include <functional>
#include <memory>

namespace host::transport {

// Only on the loop's thread. Owned by a shared_ptr.
class PipelineTurns : public std::enable_shared_from_this<PipelineTurns> {
 public:
  explicit PipelineTurns(boost::asio::io_context& io) : io_(io) {}

  // Calls `go` in one of the next turns, after earlier ones.
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
