// Limits the CPU time that a piece of work takes on its thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

namespace host::json::schema {

// kMaxCompileTime is the limit of CPU time for compiling one schema. A schema that needs more than
// kMaxCompileTime is refused.
inline constexpr std::chrono::milliseconds kMaxCompileTime{50};

// Returns the CPU time of this thread. Unlike a limit of elapsed time, a limit of CPU time refuses
// the same schemas on a busy and on an idle machine.
std::chrono::nanoseconds thread_cpu_time();

class TimeBudget {
 public:
  using Clock = std::function<std::chrono::nanoseconds()>;

  // Starts the budget now. If `clock` is null, the budget uses thread_cpu_time().
  TimeBudget(std::chrono::nanoseconds most, Clock clock);

  // Records `steps` units of work of about 100 ns each. The function spend() reads the clock once
  // per kStepsBetweenLooks steps. Returns false if the time budget is used up.
  bool spend(std::size_t steps) {
    since_look_ += steps;
    return since_look_ < kStepsBetweenLooks ? !over_ : look();
  }

 private:
  static constexpr std::size_t kStepsBetweenLooks = 1000;

  bool look();

  Clock clock_;
  std::chrono::nanoseconds until_;
  std::size_t since_look_ = 0;
  bool over_ = false;
};

}  // namespace host::json::schema
