// Whether other users control what a host relies on. `serve` refuses to start by the same checks
// that `doctor` reports. Any thread.
#pragma once

#include "base/result.h"
#include "config/config.h"

namespace host::app {

// Denied says what is wrong, where, and what to do. What is not configured or not made yet is safe.
struct StateCheck {
  Result<void> configuration;
  Result<void> store;
  Result<void> audit;

  // The first that is not safe.
  Result<void> all() const;
};

// Makes and opens nothing.
StateCheck check_state(const config::Config& config);

}  // namespace host::app
