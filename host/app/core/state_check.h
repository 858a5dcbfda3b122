// Checks that other users do not control files of a host. `serve` and `doctor` run the same checks.
// If a check of the host's files fails, `serve` refuses to start. A folder that is probably wrong
// causes only a warning. Any thread can call the functions of this header.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"

namespace host::app {

// The results of the checks of the host's files. The Error Denied means that a file is not safe.
// The Error says what is wrong, where, and what to do. A file that is not configured, or does not
// exist yet, counts as safe.
struct StateCheck {
  Result<void> configuration;
  Result<void> store;
  Result<void> audit;

  // Returns the Error about the first file that is not safe.
  Result<void> all() const;
};

// Runs the checks. The function check_state() makes and opens no files.
StateCheck check_state(const config::Config& config);

// Returns warnings about folders that are probably wrong: ignored XDG variables, a database in an
// earlier state folder, and plugins.dirs without an existing folder.
std::vector<std::string> doubts_about_folders(const config::Config& config,
                                              const char* const* environment);

}  // namespace host::app
