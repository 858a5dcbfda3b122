// Whether what the configuration names is there: compares config::NameUses with the plugins, tools
// and skills that were found. I/O thread only.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "config/diagnostic.h"
#include "config/names.h"

namespace host::app {

class Core;

// Of a core that was started.
std::vector<config::Diagnostic> unknown_names(Core& core);

// Logs what unknown_names() reports, each line once until it was gone in between.
class NameReports {
 public:
  void report(const std::vector<config::Diagnostic>& now);

 private:
  std::set<std::string> told_;
};

}  // namespace host::app
