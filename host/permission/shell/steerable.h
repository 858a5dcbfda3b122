// Recognises programs that can run any other program if an argument or a file in the current folder
// names it: build tools, package managers, test runners, compilers, and the verbs of git that
// connect or run hooks.
//
// The host warns about rules for these programs. The list cannot be complete, so the host does not
// treat a program that is not on the list as safe. A separate closed list (suggest.cpp) names the
// commands that the host suggests with any arguments.
#pragma once

#include <span>

#include "permission/shell/words.h"

namespace host::permission::shell {

// The first word of `words` must be the program. The function also returns true for git without a
// verb, because a rule for `git` covers every verb.
bool is_steerable(std::span<const Word> words);

}  // namespace host::permission::shell
