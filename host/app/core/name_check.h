// Checks that the configuration matches the installation: compares config::NameUses with the
// plugins, tools and skills that were found, and rules with their tools. The functions are called
// on the I/O thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"

namespace host::app {

class Core;

// Returns the unknown names, and the results of app/core/rule_content_check.h and
// app/core/grant_check.h. The core must be started.
std::vector<config::Diagnostic> check_names(Core& core);
// The same for a configuration that may take the place of the core's.
std::vector<config::Diagnostic> check_names(Core& core, const config::Config& config);

// Logs the results of check_names(): each result once, and once more when it is resolved.
class NameReports {
 public:
  void report(const std::vector<config::Diagnostic>& now);

 private:
  std::map<std::string, std::string> told_;  // each line, and its place
};

}  // namespace host::app
