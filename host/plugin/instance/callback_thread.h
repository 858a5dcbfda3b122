// The callback thread calls the callbacks of one plugin instance: timers, and answers of the host's
// services for which no thread waits. The thread starts when it is first needed.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "base/clock.h"

namespace host::plugin {

// stop() and the destructor wait for the callback thread, so call both only on other threads. Any
// thread can call the functions other than stop() and the destructor.
class CallbackThread {
 public:
  using Act = std::function<void()>;

  CallbackThread() = default;
  CallbackThread(const CallbackThread&) = delete;
  CallbackThread& operator=(const CallbackThread&) = delete;
  ~CallbackThread() { stop(); }

  void post(Act act);

  // Calls `act` after `delay`, and then again after every `period`, unless `period` is zero. If a
  // run of a timer is late, the thread skips the runs that it missed. Returns 0 after stop(), or if
  // the plugin instance already has `most` timers.
  std::uint64_t start_timer(std::chrono::milliseconds delay, std::chrono::milliseconds period,
                            Act act, std::size_t most);
  // Returns false if the timer has already ended. If the timer's function is running, stop_timer()
  // waits for its end, except on the callback thread itself.
  bool stop_timer(std::uint64_t id);
  std::size_t timers() const;
  // Returns the number of functions that wait or run: timers, and functions that were posted.
  std::size_t busy() const;

  // Ends the timers, runs the functions that were posted, and then ends the thread.
  void stop();

 private:
  struct Timer {
    std::chrono::milliseconds period{};
    Act act;
  };
  using Due = std::pair<SteadyTime, std::uint64_t>;  // when the timer is due; the timer's id

  // Locks the mutex. Every thread except the callback thread locks the mutex by enter(). Threads
  // that wait in enter() get the mutex before the callback thread, even if the timers of the
  // callback thread are always late.
  std::unique_lock<std::mutex> enter() const;
  void give_way() const;

  void ensure_thread();  // lock the mutex before the call
  void run();
  void act_unlocked(std::unique_lock<std::mutex>& lock, const Act& act);
  void run_timer(std::unique_lock<std::mutex>& lock, Due due);

  mutable std::atomic<int> entering_ = 0;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable wake_;
  std::condition_variable timer_done_;
  std::thread thread_;
  std::deque<Act> posted_;
  std::map<std::uint64_t, Timer> timers_;
  std::set<Due> due_;
  std::uint64_t next_timer_ = 1;
  std::uint64_t running_timer_ = 0;
  bool acting_ = false;  // a function runs
  bool stopping_ = false;
};

}  // namespace host::plugin
