// Warnings about the content of rules.
#pragma once

#include <string>
#include <string_view>

#include "permission/rule/rule.h"
#include "tool/definition/tool.h"

namespace host::permission {

// For rules of a tool that takes a shell command. Returns one sentence with what the rule allows
// beyond its wording, and what to write instead. Empty: no warning.
std::string review_shell_rule(const Rule& rule);

// For rules of a tool that takes paths but no command, and has no match_rule. Returns the reason
// why no path can match this content, and what to write instead. The value is empty if a path may
// match.
std::string review_path_pattern(std::string_view content);
// True if the host compares the content of a rule for this tool only with paths.
bool takes_only_paths(const tool::Declaration& tool);

// True if the content of a rule can match calls of this tool: the tool has its own match_rule,
// paths or a shell command.
bool takes_content(const tool::Declaration& tool);

}  // namespace host::permission
