// Warnings about rules that allow shell commands.
#pragma once

#include <string>

#include "permission/rule/rule.h"

namespace host::permission {

// One sentence that says what the rule allows beyond its wording, and what to write instead. Empty:
// no warning. For rules of a tool that takes a shell command.
std::string review_shell_rule(const Rule& rule);

}  // namespace host::permission
