// Suggests rules for a shell command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "permission/shell/words.h"

namespace host::permission::shell {

// Suggests rules for the first five segments of the command. For the command `make test` the
// function suggests the rule content `make test`, which does not match further arguments. suggest()
// suggests no rule for single words, commands that need no rule, and wrapper programs. suggest()
// also suggests no rule if a variable of the command changes which program runs.
std::vector<std::string> suggest(const Script& script);

// Returns true if the variables that are set for the command do not change which program runs. If
// has_harmless_variables() is true, a rule for the command also applies to the command with these
// variables.
bool has_harmless_variables(const Segment& segment);

}  // namespace host::permission::shell
