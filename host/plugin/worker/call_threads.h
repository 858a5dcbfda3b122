// Runs on separate threads those calls of a plugin that can wait. A new thread starts when all
// other threads are busy, until the number of threads reaches a limit. When all threads are busy
// and their number has reached the limit, calls are queued.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace host::plugin::worker {

// No code joins the threads, so the process can end even if plugin code hangs in a thread.
class CallThreads {
 public:
  explicit CallThreads(std::size_t most) : most_(most) {}

  void post(std::function<void()> work);
  // Use post_first() for work that a running call can be waiting for. Work that was posted with
  // post_first() runs before all other queued work. If all threads are busy, post_first() starts
  // one thread beyond the limit.
  void post_first(std::function<void()> work);

  // Waits until no work is running or queued. Returns false if work is still running or queued at
  // the time `until`.
  bool wait_idle(std::chrono::steady_clock::time_point until);

 private:
  void run();
  void wake(std::unique_lock<std::mutex>& lock, std::size_t most);

  const std::size_t most_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::deque<std::function<void()>> queue_;
  std::size_t threads_ = 0;
  std::size_t waiting_ = 0;
};

}  // namespace host::plugin::worker
