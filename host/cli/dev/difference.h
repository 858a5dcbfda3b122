// What is other in the second of two texts, line by line.
#pragma once

#include <string>
#include <string_view>

namespace host::cli::dev {

// "- " before lines that went, "+ " before those that came; equal lines are left out. Empty: the
// texts are equal.
std::string difference(std::string_view before, std::string_view after);

// A JSON object or array with one value a line, so that its difference is as small as it is; any
// other text as it was.
std::string in_lines(std::string_view answer);

}  // namespace host::cli::dev
