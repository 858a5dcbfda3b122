// What is other in the second of two texts, line by line.
#pragma once

#include <string>
#include <string_view>

namespace host::cli::dev {

// "- " before lines that went, "+ " before those that came; equal lines are left out. Empty: the
// texts are equal.
std::string difference(std::string_view before, std::string_view after);

}  // namespace host::cli::dev
