// Rules that a reviewer may want to make of a shell command.
#pragma once

#include <string>
#include <vector>

#include "permission/shell/words.h"

namespace host::permission::shell {

// `git add:*` for `git add .`, from the first five segments; none for single words, for commands
// that need no rule, for programs that run programs, and for those behind variables that change
// what runs.
std::vector<std::string> suggest(const Script& script);

// Do the variables set for the command leave alone what it runs? Then a rule for it holds with them
// too.
bool has_harmless_variables(const Segment& segment);

}  // namespace host::permission::shell
