// What a host that runs knows about its configuration file: what the last reading of it changed,
// and what of it is not in effect.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "config/diagnostic.h"

namespace host::config {

struct ReloadReport {
  std::uint64_t generation = 1;            // of the configuration in effect; 1: of the start
  std::string file;                        // empty: there is none
  WallTime read{};                         // when it was last read
  std::vector<std::string> applied;        // keys that the last reading changed
  std::vector<std::string> needs_restart;  // keys that differ from those in effect
  std::vector<Diagnostic> faults;          // not empty: nothing of the file was applied

  // "config.toml:12:1: error[C014]: ...", and how many more there are. Empty: there is none.
  std::string first_fault() const;
};

std::string as_json(const ReloadReport& report);
// An array with file, line, column, severity, code, message and help of each.
std::string as_json(const std::vector<Diagnostic>& diagnostics);

}  // namespace host::config
