// Finds problems in the content of permission rules, and returns warnings.
#pragma once

#include <string>
#include <string_view>

#include "permission/rule/rule.h"
#include "tool/definition/tool.h"

namespace host::permission {

// Checks whether a rule for a tool that takes a shell command allows more commands than the rule's
// author would expect. Returns a sentence that names the unexpected commands and a better rule, or
// an empty text.
std::string review_shell_rule(const Rule& rule);

// Checks the content of a rule for a tool that takes paths but no command, and has no match_rule.
// Returns the reason why no path can match the content of the rule, and what to write instead.
// Returns an empty text if a path can match the content.
std::string review_path_pattern(std::string_view content);
// Returns true if the host compares the content of a rule for this tool only with paths.
bool takes_only_paths(const tool::Declaration& tool);

// Returns true if the content of a rule can match calls of this tool: the tool has its own
// match_rule, paths or a shell command.
bool takes_content(const tool::Declaration& tool);

}  // namespace host::permission
