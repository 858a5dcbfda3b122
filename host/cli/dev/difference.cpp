#include "cli/dev/difference.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cli/dev/lines.h"
#include "json/json.h"

namespace host::cli::dev {
namespace {

constexpr std::size_t kMostLines = 1000;  // of each; the table is their product

void begin_line(std::string& out, std::size_t depth) {
  out += '\n';
  out.append(2 * depth, ' ');
}

}  // namespace

std::string in_lines(std::string_view answer) {
  const auto tree = json::parse(std::string(answer));
  if (!tree || !(tree->root().IsObject() || tree->root().IsArray())) return std::string(answer);
  const std::string compact = json::write(tree->root());
  std::string out;
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < compact.size(); ++i) {
    const char c = compact[i];
    if (quoted) {
      out += c;
      if (c == '\\') out += compact[++i];
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
      out += c;
    } else if (c == '{' || c == '[') {
      out += c;
      if (compact[i + 1] == '}' || compact[i + 1] == ']') {
        out += compact[++i];
      } else {
        begin_line(out, ++depth);
      }
    } else if (c == '}' || c == ']') {
      begin_line(out, --depth);
      out += c;
    } else if (c == ',') {
      out += c;
      begin_line(out, depth);
    } else {
      out += c;
      if (c == ':') out += ' ';
    }
  }
  return out + '\n';
}

std::string difference(std::string_view before, std::string_view after) {
  const auto old_lines = lines_of(before, kMostLines);
  const auto new_lines = lines_of(after, kMostLines);
  const std::size_t width = new_lines.size() + 1;
  // The longest common subsequence of what follows each pair of places.
  std::vector<std::uint32_t> common((old_lines.size() + 1) * width);
  for (std::size_t i = old_lines.size(); i-- > 0;) {
    for (std::size_t k = new_lines.size(); k-- > 0;) {
      common[i * width + k] = old_lines[i] == new_lines[k] ? common[(i + 1) * width + k + 1] + 1
                                                           : std::max(common[(i + 1) * width + k],
                                                                      common[i * width + k + 1]);
    }
  }
  std::string out;
  const auto tell = [&out](const char* mark, std::string_view line) {
    out.append(mark).append(line) += '\n';
  };
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < old_lines.size() || k < new_lines.size()) {
    if (i < old_lines.size() && k < new_lines.size() && old_lines[i] == new_lines[k]) {
      ++i, ++k;
    } else if (k == new_lines.size() ||
               (i < old_lines.size() && common[(i + 1) * width + k] >= common[i * width + k + 1])) {
      tell("- ", old_lines[i++]);
    } else {
      tell("+ ", new_lines[k++]);
    }
  }
  return out;
}

}  // namespace host::cli::dev
