// Computes the difference between two texts, line by line.
#pragma once

#include <string>
#include <string_view>

namespace host::cli::dev {

// Writes "- " before removed lines and "+ " before added lines. The result omits equal lines. The
// result is empty if the texts are equal.
std::string difference(std::string_view before, std::string_view after);

// Writes a JSON object or array with one value per line, so that differences are small. Returns any
// other text unchanged.
std::string in_lines(std::string_view answer);

}  // namespace host::cli::dev
