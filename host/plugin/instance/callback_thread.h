// The thread that calls the callbacks of an instance's plugin: answers of the host's services for
// which no thread waits, and timers. The thread is started when it is first needed.
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

// Call any function on any thread. stop() and the destructor wait for the callback thread, so do
// not call these two on it.
class CallbackThread {
 public:
  using Act = std::function<void()>;

  CallbackThread() = default;
  CallbackThread(const CallbackThread&) = delete;
  CallbackThread& operator=(const CallbackThread&) = delete;
  ~CallbackThread() { stop(); }

  void post(Act act);

  // Runs `act` after `delay`, and then, unless `period` is zero, every `period`. If a run is late,
  // missed runs are not repeated. Returns 0 if there are already `most` timers, or after stop().
  std::uint64_t start_timer(std::chrono::milliseconds delay, std::chrono::milliseconds period,
                            Act act, std::size_t most);
  // Returns false if the timer has already ended. If the timer's function is running, stop_timer()
  // waits for it, except on the callback thread itself.
  bool stop_timer(std::uint64_t id);
  std::size_t timers() const;

  // Ends the timers, runs the functions that were posted, and then ends the thread.
  void stop();

 private:
  struct Timer {
    std::chrono::milliseconds period{};
    Act act;
  };
  using Due = std::pair<SteadyTime, std::uint64_t>;  // the time and the timer's id

  // Locks the mutex on other threads than the callback thread, which lets them go first. Otherwise
  // a thread whose timers are always late would lock the mutex again before anybody else can.
  std::unique_lock<std::mutex> enter() const;
  void give_way() const;

  void ensure_thread();  // call it with the mutex held
  void run();
  void run_timer(std::unique_lock<std::mutex>& lock, Due due);

  mutable std::atomic<int> entering_ = 0;
  mutable std::mutex mutex_;  // guards the rest
  std::condition_variable wake_;
  std::condition_variable timer_done_;
  std::thread thread_;
  std::deque<Act> posted_;
  std::map<std::uint64_t, Timer> timers_;
  std::set<Due> due_;
  std::uint64_t next_timer_ = 1;
  std::uint64_t running_timer_ = 0;
  bool stopping_ = false;
};

}  // namespace host::plugin
