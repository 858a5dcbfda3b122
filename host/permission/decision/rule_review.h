// What an operator should know of a rule: what its content means for its tool.
#pragma once

#include <string>

#include "permission/rule/rule.h"
#include "tool/tool.h"

namespace host::permission {

// One sentence: what the rule does that its words may not say, and what to write instead. Empty: it
// does what it says. For rules of a tool that takes a shell command.
std::string review_shell_rule(const Rule& rule);

// Whether a rule's content can match calls of this tool: the tool has a match_rule of its own,
// paths or a shell command.
bool takes_content(const tool::Declaration& tool);

}  // namespace host::permission
