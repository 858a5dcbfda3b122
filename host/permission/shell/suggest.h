// Rules that a reviewer may want to make of a shell command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "permission/shell/words.h"

namespace host::permission::shell {

// `make test` for `make test`, from the first five segments: a rule that cannot be widened by more
// arguments. `git add:*` for `git add .`, see takes_any_arguments(). None for single words, for
// commands that need no rule, for programs that run programs, and for those behind variables that
// change what runs.
std::vector<std::string> suggest(const Script& script);

// Is this command, like "git add", on the closed list of those that no argument makes run another
// program?
bool takes_any_arguments(std::string_view command);

// Do the variables set for the command leave alone what it runs? Then a rule for it holds with them
// too.
bool has_harmless_variables(const Segment& segment);

}  // namespace host::permission::shell
