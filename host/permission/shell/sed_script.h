// The few sed command lines that do no more than they seem to.
#pragma once

#include <span>
#include <string_view>

#include "permission/shell/words.h"

namespace host::permission::shell {

// Options n, E, e and i; each script `Np` or `N,Mp` under -n, or `s` with / | or # and flags g, p,
// digits. `arguments` are sed's, without its name.
bool is_plain_sed(std::span<const Word> arguments);

// Where the files begin among the arguments of a plain sed.
std::size_t sed_files(std::span<const Word> arguments);

}  // namespace host::permission::shell
