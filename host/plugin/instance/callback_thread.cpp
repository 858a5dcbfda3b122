#include "plugin/instance/callback_thread.h"

#include <algorithm>

#include "plugin/instance/may_wait.h"

namespace host::plugin {

std::unique_lock<std::mutex> CallbackThread::enter() const {
  ++entering_;
  std::unique_lock lock(mutex_);
  --entering_;
  return lock;
}

void CallbackThread::give_way() const {
  while (entering_ > 0) std::this_thread::yield();
}

void CallbackThread::ensure_thread() {
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
}

void CallbackThread::post(Act act) {
  const auto lock = enter();
  if (stopping_) return;
  posted_.push_back(std::move(act));
  ensure_thread();
  wake_.notify_one();
}

std::uint64_t CallbackThread::start_timer(std::chrono::milliseconds delay,
                                          std::chrono::milliseconds period, Act act,
                                          std::size_t most) {
  const auto lock = enter();
  if (stopping_ || timers_.size() >= most) return 0;
  const std::uint64_t id = next_timer_++;
  timers_.emplace(id, Timer{period, std::move(act)});
  due_.emplace(std::chrono::steady_clock::now() + delay, id);
  ensure_thread();
  wake_.notify_one();
  return id;
}

bool CallbackThread::stop_timer(std::uint64_t id) {
  auto lock = enter();
  const bool there = timers_.erase(id) > 0;
  std::erase_if(due_, [id](const auto& item) { return item.second == id; });
  if (std::this_thread::get_id() != thread_.get_id()) {
    timer_done_.wait(lock, [this, id] { return running_timer_ != id; });
  }
  return there;
}

std::size_t CallbackThread::timers() const {
  const auto lock = enter();
  return timers_.size();
}

std::size_t CallbackThread::busy() const {
  const auto lock = enter();
  return timers_.size() + posted_.size() + (acting_ ? 1 : 0);
}

void CallbackThread::stop() {
  {
    const auto lock = enter();
    stopping_ = true;
    timers_.clear();
    due_.clear();
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void CallbackThread::run() {
  const MayNotWait here;
  std::unique_lock lock(mutex_);
  for (;;) {
    if (!posted_.empty()) {
      const Act act = std::move(posted_.front());
      posted_.pop_front();
      act_unlocked(lock, act);
    } else if (stopping_) {
      return;
    } else if (due_.empty()) {
      wake_.wait(lock);
    } else if (const Due due = *due_.begin(); due.first > std::chrono::steady_clock::now()) {
      wake_.wait_until(lock, due.first);
    } else {
      run_timer(lock, due);
    }
  }
}

void CallbackThread::act_unlocked(std::unique_lock<std::mutex>& lock, const Act& act) {
  acting_ = true;
  lock.unlock();
  act();
  give_way();
  lock.lock();
  acting_ = false;
}

void CallbackThread::run_timer(std::unique_lock<std::mutex>& lock, Due due) {
  due_.erase(due);
  const auto at = timers_.find(due.second);
  const Act act = at->second.act;
  const std::chrono::milliseconds period = at->second.period;
  if (period.count() == 0) timers_.erase(at);
  running_timer_ = due.second;
  act_unlocked(lock, act);
  running_timer_ = 0;
  timer_done_.notify_all();
  if (!timers_.contains(due.second)) return;
  const SteadyTime next = due.first + period;
  due_.emplace(std::max(next, std::chrono::steady_clock::now()), due.second);
}

}  // namespace host::plugin
