// Makes the names of the principals that tokens have. Such a name begins with a word and a colon,
// and names of keys' principals never contain a colon. So the two kinds cannot be confused with
// each other or with `local`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace host::identity {

// Returns "oauth:SUB". The function refuses a `sub` with more than 255 characters. The function
// also refuses characters other than letters, digits and `._-@|:+=~`.
Result<std::string> principal_of_subject(std::string_view subject);

bool is_principal_of_subject(std::string_view name);

}  // namespace host::identity
