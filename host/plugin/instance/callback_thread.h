// The one thread of an instance on which its plugin is called back: with answers that nobody waits
// for, and by its timers. Made when first needed.
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

// Any thread, but stop() and the destructor, which wait for the thread.
class CallbackThread {
 public:
  using Act = std::function<void()>;

  CallbackThread() = default;
  CallbackThread(const CallbackThread&) = delete;
  CallbackThread& operator=(const CallbackThread&) = delete;
  ~CallbackThread() { stop(); }

  void post(Act act);

  // Runs `act` after `delay`, and then, unless `period` is zero, again and again; a turn that is
  // late is not made up for. 0 where `most` timers are there already, or it was stopped.
  std::uint64_t start_timer(std::chrono::milliseconds delay, std::chrono::milliseconds period,
                            Act act, std::size_t most);
  // False where it is over. From any other thread it waits while the timer's act runs.
  bool stop_timer(std::uint64_t id);
  std::size_t timers() const;

  // Timers end; what was posted still runs; then the thread ends.
  void stop();

 private:
  struct Timer {
    std::chrono::milliseconds period{};
    Act act;
  };
  using Due = std::pair<SteadyTime, std::uint64_t>;  // when, whose

  // The mutex, for any thread's short look: the callback thread lets it go first. One whose timers
  // are always late would else take the mutex anew before anybody else can.
  std::unique_lock<std::mutex> enter() const;
  void give_way() const;

  void ensure_thread();  // with the mutex
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
