#include "json/schema/time_budget.h"

#include <ctime>
#include <utility>

namespace host::json::schema {

std::chrono::nanoseconds thread_cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

TimeBudget::TimeBudget(std::chrono::nanoseconds most, Clock clock)
    : clock_(clock ? std::move(clock) : Clock(thread_cpu_time)), until_(clock_() + most) {}

bool TimeBudget::look() {
  since_look_ = 0;
  over_ = over_ || clock_() > until_;
  return !over_;
}

}  // namespace host::json::schema
