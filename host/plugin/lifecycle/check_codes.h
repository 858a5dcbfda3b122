// The meaning of each code that `plugin check` prints, and what to do about it.
#pragma once

#include <span>
#include <string_view>

namespace host::plugin {

struct CheckCode {
  std::string_view code;
  std::string_view meaning;
  std::string_view remedy;
};

// Returns the codes of elf_lint.h in order, and then the codes of tool_review.h.
std::span<const CheckCode> check_codes();

// Returns nullptr if the code is unknown.
const CheckCode* find_check_code(std::string_view code);

}  // namespace host::plugin
