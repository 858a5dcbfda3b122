// Checks that the configuration matches the installation: compares config::NameUses with the
// plugins, tools and skills that were found, and rules with their tools. I/O thread only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/diagnostic.h"
#include "config/names.h"

namespace host::app {

class Core;

// Of a core that was started: names that nothing has, and see app/core/rule_content_check.h
// and app/core/grant_check.h.
std::vector<config::Diagnostic> check_names(Core& core);

// Logs the results of check_names(): each line once, and once more when it is resolved.
class NameReports {
 public:
  void report(const std::vector<config::Diagnostic>& now);

 private:
  std::map<std::string, std::string> told_;  // each line, and its place
};

}  // namespace host::app
