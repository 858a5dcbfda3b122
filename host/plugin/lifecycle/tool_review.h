// Findings of `plugin check` for a plugin's author. A finding is a problem that makes the plugin
// difficult to use for a model or an operator. The plugin still works.
#pragma once

#include <string>
#include <vector>

#include "plugin/declared/manifest.h"
#include "tool/definition/tool.h"

namespace host::plugin {

// Codes of this review begin with P (errors) or W (warnings). Findings also use the codes of
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
