// What a piece of work takes of its thread's processor time, whatever else the machine is doing.
#pragma once

#include <chrono>

#include "json/schema/time_budget.h"

namespace host::test {

class CpuTime {
 public:
  std::chrono::nanoseconds taken() const { return json::schema::thread_cpu_time() - begun_; }

 private:
  std::chrono::nanoseconds begun_ = json::schema::thread_cpu_time();
};

}  // namespace host::test
