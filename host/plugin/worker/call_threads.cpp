#include "plugin/worker/call_threads.h"

#include <system_error>
#include <thread>

#include "plugin/worker/crash_handler.h"

namespace host::plugin::worker {

void CallThreads::post(std::function<void()> work) {
  std::unique_lock lock(mutex_);
  queue_.push_back(std::move(work));
  if (queue_.size() <= waiting_ || threads_ == most_) {
    lock.unlock();
    wake_.notify_one();
    return;
  }
  ++threads_;
  try {
    std::thread([this] { run(); }).detach();
  } catch (const std::system_error&) {  // no memory for its stack: the others will come to it
    if (--threads_ == 0) throw;
  }
}

void CallThreads::run() {
  guard_stack_of_this_thread();
  std::unique_lock lock(mutex_);
  for (;;) {
    ++waiting_;
    if (waiting_ == threads_ && queue_.empty()) idle_.notify_all();
    wake_.wait(lock, [this] { return !queue_.empty(); });
    --waiting_;
    const std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

bool CallThreads::wait_idle(std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(mutex_);
  return idle_.wait_until(lock, until, [this] { return waiting_ == threads_ && queue_.empty(); });
}

}  // namespace host::plugin::worker
