#include "upstream/provider/tool_name.h"

#include "base/digest.h"
#include "tool/declared_text.h"

namespace host::upstream {
namespace {

constexpr std::size_t kMostNameBytes = 64;
constexpr std::size_t kDigestLetters = 8;

char plain(char c) {
  const std::string_view one(&c, 1);
  return tool::is_plain_name(one) ? c : '_';
}

}  // namespace

std::string served_name(std::string_view upstream, std::string_view tool) {
  std::string name = "mcp__" + std::string(upstream) + "__";
  for (const char c : tool) name += plain(c);
  if (name.size() <= kMostNameBytes) return name;
  name.resize(kMostNameBytes - kDigestLetters - 1);
  return name + "_" + to_hex(sha256(tool)).substr(0, kDigestLetters);
}

bool fits_pattern(std::string_view pattern, std::string_view tool) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == tool;
  if (!tool.starts_with(pattern.substr(0, star))) return false;
  tool.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  // The shortest text for each star but the last: what comes after it must be at the end.
  for (;;) {
    const std::size_t next = pattern.find('*');
    const std::string_view part = pattern.substr(0, next);
    if (next == std::string_view::npos) return tool.ends_with(part);
    const std::size_t at = tool.find(part);
    if (at == std::string_view::npos) return false;
    tool.remove_prefix(at + part.size());
    pattern.remove_prefix(next + 1);
  }
}

}  // namespace host::upstream
