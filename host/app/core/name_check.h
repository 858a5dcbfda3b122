// Checks that the configuration matches the installation. The check compares the names that the
// configuration uses with the plugins, tools and skills that the host has found, and compares rules
// with their tools. The functions are called on the I/O thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"

namespace host::app {

class Core;

// Returns the unknown names, the interceptors without effect, and the problems of rules, grants and
// skills (app/core/rule_content_check.h, app/core/grant_check.h and app/core/skill_group_check.h).
// The core must be started.
std::vector<config::Diagnostic> check_names(Core& core);
// Checks `config`, a changed configuration that is not in effect yet.
std::vector<config::Diagnostic> check_names(Core& core, const config::Config& config);

// Logs the problems that check_names() found: each problem once, and again when it is resolved.
class NameReports {
 public:
  void report(const std::vector<config::Diagnostic>& now);

 private:
  std::map<std::string, std::string> told_;  // the reported problems and their positions
};

}  // namespace host::app
