// Writes a word of a command that a user can paste into a shell.
#pragma once

#include <string>
#include <string_view>

namespace host::cli {

// Returns the word in single quotes, or unchanged if the shell would not change it without quotes.
std::string shell_word(std::string_view word);

}  // namespace host::cli
