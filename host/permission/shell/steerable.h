// Programs that run other programs if an argument or a file in the folder says so: build tools,
// package managers, test runners, compilers, and the verbs of git that connect or run hooks.
//
// Rules for these programs get a warning. The list cannot be complete, so nothing is allowed
// because of it. The commands that are suggested with any arguments are in a separate closed list
// (suggest.cpp).
#pragma once

#include <span>

#include "permission/shell/words.h"

namespace host::permission::shell {

// `words` begin with the program. git without a verb counts too, because a rule for it covers every
// verb.
bool is_steerable(std::span<const Word> words);

}  // namespace host::permission::shell
