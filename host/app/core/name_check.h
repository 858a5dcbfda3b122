// Compares the names in the configuration with the plugins, tools and skills that the host has
// found. Call the functions of this header on the I/O thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"

namespace host::app {

class Core;

// Returns the unknown names, the interceptors without effect, and the problems of rules, grants and
// skills (app/core/rule_content_check.h, app/core/grant_check.h and app/core/skill_group_check.h).
// Call the function after the core was started.
std::vector<config::Diagnostic> check_names(Core& core);
// Checks `config`, a changed configuration that is not in effect yet.
std::vector<config::Diagnostic> check_names(Core& core, const config::Config& config);

// Logs each problem that check_names() finds, but only one time. Logs again when the problem is
// resolved.
class NameReports {
 public:
  void report(const std::vector<config::Diagnostic>& now);

 private:
  std::map<std::string, std::string> told_;  // the reported problems and their positions
};

}  // namespace host::app
