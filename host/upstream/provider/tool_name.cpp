#include "upstream/provider/tool_name.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "tool/definition/declared_text.h"

namespace host::upstream {
namespace {

constexpr std::size_t kMostNameBytes = 64;
constexpr std::size_t kDigestLetters = 8;

char plain(char c) {
  const std::string_view one(&c, 1);
  return tool::is_plain_name(one) ? c : '_';
}

}  // namespace

bool is_named_by(const std::vector<std::string>& patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [name](const std::string& pattern) { return fits_pattern(pattern, name); });
}

std::string served_name(std::string_view upstream, std::string_view tool) {
  std::string name = "mcp__" + std::string(upstream) + "__";
  for (const char c : tool) name += plain(c);
  if (name.size() <= kMostNameBytes) return name;
  name.resize(kMostNameBytes - kDigestLetters - 1);
  return name + "_" + to_hex(sha256(tool)).substr(0, kDigestLetters);
}

std::function<std::string(std::string_view)> served_names(std::string upstream) {
  return [upstream = std::move(upstream)](std::string_view tool) {
    return served_name(upstream, tool);
  };
}

}  // namespace host::upstream
