// Threads for calls that may wait: made when all others are busy, up to a bound; then calls queue.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace host::plugin::worker {

// Its threads are never joined: the process ends with whatever hangs in them.
class CallThreads {
 public:
  explicit CallThreads(std::size_t most) : most_(most) {}

  void post(std::function<void()> work);
  // For what another call here may wait for: before all others, and on one more thread, beyond the
  // bound, where all are busy.
  void post_first(std::function<void()> work);

  // Waits until nothing runs nor waits; false at `until`.
  bool wait_idle(std::chrono::steady_clock::time_point until);

 private:
  void run();
  void wake(std::unique_lock<std::mutex>& lock, std::size_t most);

  const std::size_t most_;
  std::mutex mutex_;  // guards the rest
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::deque<std::function<void()>> queue_;
  std::size_t threads_ = 0;
  std::size_t waiting_ = 0;
};

}  // namespace host::plugin::worker
