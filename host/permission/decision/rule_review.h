// Warnings about rules: what their content means for their tool.
#pragma once

#include <string>
#include <string_view>

#include "permission/rule/rule.h"
#include "tool/tool.h"

namespace host::permission {

// One sentence that says what the rule allows beyond its wording, and what to write instead. Empty:
// no warning. For rules of a tool that takes a shell command.
std::string review_shell_rule(const Rule& rule);

// Why no path can match this content of a rule, and what to write instead. Empty: some may match.
// For rules of a tool that takes paths, and no command, and does not match contents itself.
std::string review_path_pattern(std::string_view content);
// True if the host compares the content of a rule for this tool with paths, and with nothing else.
bool takes_only_paths(const tool::Declaration& tool);

// True if the content of a rule can match calls of this tool: the tool has its own match_rule,
// paths or a shell command.
bool takes_content(const tool::Declaration& tool);

}  // namespace host::permission
