// Reviews a plugin's declarations for `plugin check`. review() finds problems that make a plugin
// difficult to use for a model or an operator, although the plugin works.
#pragma once

#include <string>
#include <vector>

#include "plugin/declared/manifest.h"
#include "tool/definition/tool.h"

namespace host::plugin {

// A finding has a code from P001 to P009 (errors) or from W101 to W107 (warnings), or a code of
// elf_lint.h. The meaning of a code never changes. check_codes.cpp describes all codes.
struct Finding {
  bool fault = false;  // false: a warning
  std::string code;
  std::string tool;  // empty: the finding is about the whole plugin
  std::string message;
};

std::vector<Finding> review(const tool::Tool& tool);
std::vector<Finding> review(const Manifest& manifest);

}  // namespace host::plugin
