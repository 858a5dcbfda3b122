// A report of a running host about its configuration file. The report says which keys changed when
// the host last read the file, and which keys of the file are not in effect.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "config/diagnostic.h"

namespace host::config {

struct ReloadReport {
  // The generation of the configuration grows by 1 each time the host reads the file and applies
  // changes.
  std::uint64_t generation = 1;
  std::string file;                        // empty: there is none
  WallTime read{};                         // when the file was last read
  std::vector<std::string> applied;        // keys that changed when the file was last read
  std::vector<std::string> needs_restart;  // keys whose values in the file are not in effect yet
  std::vector<Diagnostic> faults;          // if not empty, the host did not apply the file

  // Returns the first fault of the file and the number of further faults, like "config.toml:12:1:
  // error[C014]: ...". The returned text is empty if there is no fault.
  std::string first_fault() const;
};

std::string as_json(const ReloadReport& report);
// Returns a JSON array of objects, one per diagnostic: file, line, column, severity, code, message
// and help.
std::string as_json(const std::vector<Diagnostic>& diagnostics);

}  // namespace host::config
