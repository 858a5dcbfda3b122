// Computes the difference between two texts, line by line.
#pragma once

#include <string>
#include <string_view>

namespace host::cli::dev {

// The result has "- " before removed lines and "+ " before added lines, and leaves out equal lines.
std::string difference(std::string_view before, std::string_view after);

// Writes a JSON object or array with one value per line, so that differences are small. If the text
// is not a JSON object or array, the function returns it unchanged.
std::string in_lines(std::string_view answer);

}  // namespace host::cli::dev
