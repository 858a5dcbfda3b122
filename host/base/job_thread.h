// A thread for work on untrusted input that would take too long on the I/O thread. Jobs run in
// steps. After each step the next job has its turn, so a long job delays another one by one step
// at most.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <optional>

namespace host {

class JobThread {
 public:
  // `io`: where jobs report their end. Its context outlives this object.
  explicit JobThread(boost::asio::any_io_executor io);
  // Waits for the step that runs. Jobs that have not ended are dropped without a report.
  ~JobThread();

  // Calls `step` on the thread until it returns false, then `done` on the I/O executor, which has
  // work until then. Jobs of one step each end in the order in which they were given. An exception
  // of `step` is thrown again where `done` would have been called. I/O thread only.
  void run(std::function<bool()> step, std::function<void()> done);

 private:
  const boost::asio::any_io_executor io_;
  std::optional<boost::asio::thread_pool> thread_;  // started by the first job
};

}  // namespace host
