// Whose next request is here already, sent before the answer to the last one: they take turns, a
// few in each turn of the loop, so that whoever asks one thing at a time does not wait for all of
// them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <deque>
#include <functional>
#include <memory>

namespace host::transport {

// On the loop's thread alone; held by a shared_ptr.
class PipelineTurns : public std::enable_shared_from_this<PipelineTurns> {
 public:
  explicit PipelineTurns(boost::asio::io_context& io) : io_(io) {}

  // Calls `go` in one of the next turns, after those that were there before.
  void wait(std::function<void()> go);

  // Forgets all that wait.
  void clear() { waiting_.clear(); }

 private:
  void run_later();
  void run();

  boost::asio::io_context& io_;
  std::deque<std::function<void()>> waiting_;
  bool posted_ = false;
};

}  // namespace host::transport
