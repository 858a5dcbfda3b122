// What wildcards stand for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "permission/path/real_path.h"

namespace host::permission::shell {

// The paths that a shell would put in the place of a word with wildcards, absolute, as the file
// system is now. Empty: there are none, and the word stays as it is. Nothing: a folder cannot be
// read, or the folders have more entries than are looked at. Blocks on the file system.
std::optional<std::vector<std::string>> expansions(std::string_view pattern, const Place& place);

}  // namespace host::permission::shell
