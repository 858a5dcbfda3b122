// The principals that tokens stand for. Their names begin with a word and a colon, which no
// principal of a key has, so that neither can be mistaken for the other, nor for `local`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace host::identity {

// "oauth:SUB". Refused is a `sub` that has other characters than letters, digits and
// `. _ - @ | : + = ~`, or more than 255 of them.
Result<std::string> principal_of_subject(std::string_view subject);

bool is_principal_of_subject(std::string_view name);

}  // namespace host::identity
