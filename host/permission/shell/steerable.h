// Programs that an argument or the folder's files can make run another program: build tools,
// package managers, test runners, compilers, and the verbs of git that connect or run hooks.
//
// The list names what rules are warned about. It cannot be complete, so it permits nothing: what
// is suggested with any arguments is a closed list of its own (suggest.cpp).
#pragma once

#include <span>

#include "permission/shell/words.h"

namespace host::permission::shell {

// `words` begin with the program. git alone is one of them: it can be given any verb.
bool is_steerable(std::span<const Word> words);

}  // namespace host::permission::shell
