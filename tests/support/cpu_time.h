// Measures the processor time that a piece of work takes on its thread. The result does not depend
// on other work of the machine.
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
