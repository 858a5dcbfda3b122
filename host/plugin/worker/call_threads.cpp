#include "plugin/worker/call_threads.h"

#include <system_error>
#include <thread>

#include "plugin/worker/crash_handler.h"

namespace host::plugin::worker {
namespace {

constexpr std::size_t kMostEver = 1024;

}  // namespace

void CallThreads::post(std::function<void()> work) {
  std::unique_lock lock(mutex_);
  queue_.push_back(std::move(work));
  wake(lock, most_);
}

void CallThreads::post_first(std::function<void()> work) {
  std::unique_lock lock(mutex_);
  queue_.push_front(std::move(work));
  wake(lock, kMostEver);
}

void CallThreads::wake(std::unique_lock<std::mutex>& lock, std::size_t most) {
  if (queue_.size() <= waiting_ || threads_ >= most) {
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
