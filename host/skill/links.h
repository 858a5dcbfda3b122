// The links of a Markdown text. Only this file uses md4c.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace host::skill {

inline constexpr std::size_t kMaxLinks = 10'000;  // of one text

struct Link {
  std::string target;        // as written, without escapes
  std::uint32_t line = 0;    // from 1: of the target, or of its text
  std::uint32_t column = 0;  // from 1, in characters; 0: not known
};

// Links and images, also by reference. Targets with HTML entities are left out. Line ends are LF.
std::vector<Link> links_of(std::string_view markdown);

}  // namespace host::skill
