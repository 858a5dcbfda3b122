// The principals of tokens. Their names begin with a word and a colon, which the principals of keys
// never contain. So neither can be mistaken for the other, nor for `local`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace host::identity {

// "oauth:SUB". A `sub` is refused if it has characters other than letters, digits and `. _ - @ | :
// + = ~`, or more than 255 of them.
Result<std::string> principal_of_subject(std::string_view subject);

bool is_principal_of_subject(std::string_view name);

}  // namespace host::identity
