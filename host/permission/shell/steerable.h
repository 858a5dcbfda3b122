// Programs that run other programs if an argument or a file in the current folder names them: build
// tools, package managers, test runners, compilers, and the verbs of git that connect or run hooks.
//
// Rules for these programs get a warning. The list cannot be complete, so a program that is not on
// it is not treated as safe. The commands that are suggested with any arguments are in a separate
// closed list (suggest.cpp).
#pragma once

#include <span>

#include "permission/shell/words.h"

namespace host::permission::shell {

// `words` begin with the program. True also for git without a verb, because a rule for `git` covers
// every verb.
bool is_steerable(std::span<const Word> words);

}  // namespace host::permission::shell
