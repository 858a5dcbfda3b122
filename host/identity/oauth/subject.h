// Makes the name of the principal that a token belongs to. The name of a token's principal begins
// with a word and a colon. The name of a key's principal never contains a colon, so that no key can
// have the name of a token's principal. The name `local` of clients without a key has no colon.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace host::identity {

// Returns "oauth:SUB". principal_of_subject() refuses a `sub` with more than 255 characters.
// principal_of_subject() also refuses characters other than letters, digits and `._-@|:+=~`.
Result<std::string> principal_of_subject(std::string_view subject);

bool is_principal_of_subject(std::string_view name);

}  // namespace host::identity
