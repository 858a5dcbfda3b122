// The content of a rule about path arguments: a glob whose `*` crosses '/'.
#pragma once

#include <string>
#include <string_view>

#include "permission/path/real_path.h"

namespace host::permission {

// Deny and ask rules: the pattern fits the path as written, as normalised, or where its links lead.
bool path_touched_by(std::string_view pattern, std::string_view path, const Place& place);

// Allow rules: it fits the path without its "..", and the place where its links lead too. Links
// above the pattern's first wildcard are the pattern's own.
bool path_allowed_by(std::string_view pattern, std::string_view path, const Place& place);

// A pattern that allows the path's neighbours: `<folder>/**`, or `**` where it names no folder.
std::string neighbours_of(std::string_view path, const Place& place);

}  // namespace host::permission
