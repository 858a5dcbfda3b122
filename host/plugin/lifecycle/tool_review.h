// Findings of `plugin check` for a plugin's author. A finding is a problem that makes the plugin
// difficult to use for a model or an operator. The plugin still works.
#pragma once

#include <string>
#include <vector>

#include "plugin/declared/manifest.h"
#include "tool/definition/tool.h"

namespace host::plugin {

// The meaning of each code, which never changes:
//   P001 the file cannot be read or copied  W101 a standard tool is not read-only
//   P002 the plugin does not start          W102 a tool's description is too short
//   P003 a declaration is not valid         W103 parameters have no description
//   P004 an example call failed             W104 the settings have no schema
//   P005 a result violates its schema       W105 a tool has no example arguments
//   P006 the plugin's name is not valid     W106 an example call returned an error
//   P009 the side file is refused           W107 the side file's key needs a trusted folder
// Findings also use the codes of elf_lint.h. check_codes.cpp describes all codes.
struct Finding {
  bool fault = false;  // false: a warning
  std::string code;
  std::string tool;  // empty: the finding is about the whole plugin
  std::string message;
};

std::vector<Finding> review(const tool::Tool& tool);
std::vector<Finding> review(const Manifest& manifest);

}  // namespace host::plugin
