// Whether other users control what a host relies on, and whether it looks at the right folder.
// `serve` refuses to start by the same checks that `doctor` reports. Any thread.
#pragma once

#include <string>
#include <vector>

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

// What is doubtful about the folders that the environment names: XDG variables that are ignored,
// and a database that an earlier host left in another state folder.
std::vector<std::string> doubts_about_folders(const config::Config& config,
                                              const char* const* environment);

}  // namespace host::app
