// The links of a skill's Markdown: each lies where it is said to lie.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/visible.h"
#include "skill/links.h"

namespace {

void must(bool held) {
  if (!held) std::abort();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

// What follows so many characters of a line.
std::string_view after(std::string_view line, std::uint32_t characters) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; };
  std::size_t at = 0;
  for (; at < line.size(); ++at) {
    if (!begins(line[at])) continue;
    if (characters == 0) break;
    --characters;
  }
  return line.substr(at);
}

// Columns are counted in characters.
bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const host::Character next = host::first_character(text);
    if (!next.valid) return false;
    text.remove_prefix(next.bytes.size());
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Its own buffer, so that the sanitizer sees a read past its end.
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string_view> lines = lines_of(text);
  const bool has_columns = is_utf8(text);
  const auto links = host::skill::links_of(text);
  must(links.size() <= host::skill::kMaxLinks);
  for (const auto& link : links) {
    must(link.line >= 1 && link.line <= lines.size());
    if (link.column == 0 || !has_columns) continue;
    const std::string_view rest = after(lines[link.line - 1], link.column - 1);
    const std::size_t here = std::min(rest.size(), link.target.find('\n'));  // it may go on below
    must(rest.starts_with(std::string_view(link.target).substr(0, here)));
  }
  return 0;
}
