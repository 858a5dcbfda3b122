// What differs between two definitions of a tool, in lines for a person.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace host::upstream {

// "- description: Adds two numbers" and "+ description: ...", one for each value that differs, by
// its place in the definition. A member whose name is not plain is written as ["its name"], so that
// no name can look like another place. Characters that a reader would not see are written out, like
// <U+200B>. `before` empty: the tool is new. At most kMostLines; the last line then says so.
std::vector<std::string> difference(std::string_view before, std::string_view after);

inline constexpr std::size_t kMostLines = 400;

}  // namespace host::upstream
