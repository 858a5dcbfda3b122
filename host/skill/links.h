// Finds the links in a Markdown text. Only this header and its .cpp file use md4c.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace host::skill {

inline constexpr std::size_t kMaxLinks = 10'000;  // the limit for one text

struct Link {
  std::string target;        // the target as written, but without escapes
  std::uint32_t line = 0;    // line of the target or of the link's text, from 1
  std::uint32_t column = 0;  // in characters, from 1; 0: unknown
};

// Returns the links and images of a Markdown text, also reference-style links and images.
// links_of() skips links whose target contains HTML entities. The line breaks of `markdown` must be
// LF.
std::vector<Link> links_of(std::string_view markdown);

}  // namespace host::skill
