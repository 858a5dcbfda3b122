// Recognises programs that can run any other program if an argument or a file in the current folder
// names it. Steerable programs are build tools, package managers, test runners, compilers, and the
// git commands that use the network or run hooks.
//
// The host warns about rules for steerable programs. A program that is not on the list can be
// dangerous too, because the list of steerable programs cannot be complete. To suggest rules, the
// host uses a separate list of commands in suggest.cpp.
#pragma once

#include <span>

#include "permission/shell/words.h"

namespace host::permission::shell {

// The first word of `words` must be the program. is_steerable() also returns true for git without a
// verb, because a rule for `git` covers every verb.
bool is_steerable(std::span<const Word> words);

}  // namespace host::permission::shell
