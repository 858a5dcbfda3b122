// Warnings about rules: what their content means for their tool.
#pragma once

#include <string>

#include "permission/rule/rule.h"
#include "tool/tool.h"

namespace host::permission {

// One sentence that says what the rule allows beyond its wording, and what to write instead. Empty:
// no warning. For rules of a tool that takes a shell command.
std::string review_shell_rule(const Rule& rule);

// True if the content of a rule can match calls of this tool: the tool has its own match_rule,
// paths or a shell command.
bool takes_content(const tool::Declaration& tool);

}  // namespace host::permission
