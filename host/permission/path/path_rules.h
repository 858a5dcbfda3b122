// Matches paths against the content of a permission rule about path arguments. In a rule about path
// arguments, the wildcard `*` also matches '/'.
#pragma once

#include <string>
#include <string_view>

#include "permission/path/real_path.h"

namespace host::permission {

// Use path_touched_by() for deny and ask rules. path_touched_by() returns true if the pattern
// matches the path as written, the normalised path, or the real path (links followed).
bool path_touched_by(std::string_view pattern, std::string_view path, const Place& place);

// Use path_allowed_by() for allow rules. path_allowed_by() returns true only if the pattern matches
// the normalised path (without "..") and also the real path (links followed). path_allowed_by()
// also follows links in those folders of the pattern that are before the first wildcard.
bool path_allowed_by(std::string_view pattern, std::string_view path, const Place& place);

// Returns the pattern `<folder>/**` for all files in the path's folder. Returns `**` if the path
// names no folder.
std::string neighbours_of(std::string_view path, const Place& place);

}  // namespace host::permission
