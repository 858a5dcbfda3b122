// Recognises command lines of sed that are known to be harmless.
#pragma once

#include <span>
#include <string_view>

#include "permission/shell/words.h"

namespace host::permission::shell {

// Returns true if sed has only the options n, E, e and i, and each script is plain. A plain script
// is `Np` or `N,Mp` with -n, or an `s` command with the delimiter / | or # and only the flags g, p
// and digits. `arguments` are the words after `sed`.
bool is_plain_sed(std::span<const Word> arguments);

// Returns the index of the first file among `arguments`, for which is_plain_sed() must be true.
std::size_t sed_files(std::span<const Word> arguments);

}  // namespace host::permission::shell
