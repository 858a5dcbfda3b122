// Runs work on untrusted input in a separate thread, because the work would take too long on the
// I/O thread. Jobs run in steps. A job consists of steps. After each step of a job, the thread runs
// one step of the next job. So a long job delays any other job by at most one step.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <optional>

namespace host {

class JobThread {
 public:
  // `io` is the executor for the `done` functions. The context of `io` must outlive the JobThread.
  explicit JobThread(boost::asio::any_io_executor io);
  // The destructor calls stop(), and waits for the running step.
  ~JobThread();

  // Drops unfinished jobs, and never calls their `done` functions. The thread ends after the
  // running step.
  void stop();

  // Calls `step` on the JobThread until `step` returns false, then calls `done` on the I/O
  // executor. The event loop of the I/O executor keeps running until `done` was called. Jobs with a
  // single step end in the order of their start. If `step` throws an exception, the I/O executor
  // throws it again, and `done` is not called. If a job owns its JobThread, the job keeps the
  // JobThread alive. Only the I/O thread can call run().
  void run(std::function<bool()> step, std::function<void()> done);

 private:
  const boost::asio::any_io_executor io_;
  std::optional<boost::asio::thread_pool> thread_;  // the first job starts the thread
};

}  // namespace host
