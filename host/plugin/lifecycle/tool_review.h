// Findings for a plugin's author. A finding is a problem that makes the plugin difficult to use for
// a model or an operator. The plugin still works.
#pragma once

#include <string>
#include <vector>

#include "plugin/declared/manifest.h"
#include "tool/definition/tool.h"

namespace host::plugin {

// The codes are stable:
//   P001 cannot be read or staged         W101 not read-only under a standard name
//   P002 does not start                   W102 a description that says little
//   P003 describes itself badly           W103 parameters without description
//   P004 a call failed                    W104 settings without a schema
//   P005 a result unlike its schema       W105 no example arguments
//   P006 a name that no plugin can have   W106 the example call was answered with an error
//   P009 a side file that is refused      W107 a key that only a trusted side file may have
// Findings also use the codes of elf_lint.h.
struct Finding {
  bool fault = false;  // false: a warning
  std::string code;
  std::string tool;  // empty: the plugin as a whole
  std::string message;
};

std::vector<Finding> review(const tool::Tool& tool);
std::vector<Finding> review(const Manifest& manifest);

}  // namespace host::plugin
