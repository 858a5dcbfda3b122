// What an operator should know of a rule that allows shell commands.
#pragma once

#include <string>

#include "permission/rule/rule.h"

namespace host::permission {

// One sentence: what the rule does that its words may not say, and what to write instead. Empty: it
// does what it says. For rules of a tool that takes a shell command.
std::string review_shell_rule(const Rule& rule);

}  // namespace host::permission
