#include "permission/shell/pattern.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "permission/shell/words.h"

namespace host::permission::shell {
namespace {

// The literal texts between unescaped stars. A single text means that there is no star.
std::vector<std::string> split_at_stars(std::string_view content) {
  std::vector<std::string> texts(1);
  for (std::size_t i = 0; i < content.size(); ++i) {
    const bool escapes = content[i] == '\\' && i + 1 < content.size() &&
                         (content[i + 1] == '*' || content[i + 1] == '\\');
    if (escapes) {
      texts.back() += content[++i];
    } else if (content[i] == '*') {
      texts.emplace_back();
    } else {
      texts.back() += content[i];
    }
  }
  return texts;
}

bool matches_whole(const std::vector<std::string>& texts, std::string_view command) {
  if (!command.starts_with(texts.front())) return false;
  command.remove_prefix(texts.front().size());
  for (std::size_t i = 1; i + 1 < texts.size(); ++i) {
    const std::size_t found = command.find(texts[i]);
    if (found == std::string_view::npos) return false;
    command.remove_prefix(found + texts[i].size());
  }
  return command.ends_with(texts.back());
}

std::string_view without_end_blanks(std::string_view text) {
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

// `git *` means `git` too.
bool matches_without_last_star(std::vector<std::string> texts, std::string_view command) {
  if (!texts.back().empty()) return false;
  texts.pop_back();
  texts.back() = without_end_blanks(texts.back());
  return texts.size() == 1 ? command == texts.front() : matches_whole(texts, command);
}

bool has_program(std::string_view content, std::string_view command) {
  const std::string_view prefix = content.substr(0, content.size() - 2);
  return command.starts_with(prefix) &&
         (command.size() == prefix.size() || command[prefix.size()] == ' ');
}

// The limit of steps. Beyond it, a rule and a shape are assumed to match.
constexpr std::size_t kMaxSteps = 1u << 16u;

// True if a text exists that both match. `met[j]`: the part of `a` read so far can match the first
// j characters of `b`.
bool have_common_text(std::string_view a, std::string_view b) {
  if (a.size() * b.size() > kMaxSteps) return true;
  std::vector<bool> met(b.size() + 1);
  met[0] = true;
  for (std::size_t j = 0; j < b.size() && b[j] == kHole; ++j) met[j + 1] = true;
  for (const char c : a) {
    std::vector<bool> next(b.size() + 1);
    next[0] = c == kHole && met[0];
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (c == kHole || b[j] == kHole) {
        next[j + 1] = met[j] || (c == kHole && (met[j + 1] || next[j])) ||
                      (b[j] == kHole && (met[j + 1] || next[j]));
      } else {
        next[j + 1] = c == b[j] && met[j];
      }
    }
    met = std::move(next);
  }
  return met.back();
}

std::string with_holes(const std::vector<std::string>& texts) {
  std::string shape = texts.front();
  for (std::size_t i = 1; i < texts.size(); ++i) shape.append(1, kHole).append(texts[i]);
  return shape;
}

// The shapes of the texts that a content matches in touches().
std::vector<std::string> shapes_of(std::string_view content) {
  const std::string hole(1, kHole);
  if (content.ends_with(":*")) {
    const std::string program(content.substr(0, content.size() - 2));
    return {program, program + " " + hole};
  }
  std::vector<std::string> texts = split_at_stars(content);
  if (texts.size() == 1) return {hole + texts.front() + hole};
  std::vector<std::string> shapes{with_holes(texts)};
  if (!texts.back().empty()) return shapes;
  texts.pop_back();
  texts.back() = without_end_blanks(texts.back());
  shapes.push_back(with_holes(texts));
  return shapes;
}

}  // namespace

bool covers(std::string_view content, std::string_view command) {
  if (content.ends_with(":*")) return has_program(content, command);
  const std::vector<std::string> texts = split_at_stars(content);
  if (texts.size() == 1) return command == texts.front();
  return matches_whole(texts, command) || matches_without_last_star(texts, command);
}

bool touches(std::string_view content, std::string_view command) {
  if (!is_plain_text(content)) return covers(content, command);
  return command.find(split_at_stars(content).front()) != std::string_view::npos;
}

bool may_touch(std::string_view content, std::string_view shape) {
  const std::vector<std::string> shapes = shapes_of(content);
  return std::any_of(shapes.begin(), shapes.end(),
                     [&](const std::string& each) { return have_common_text(each, shape); });
}

bool is_plain_text(std::string_view content) {
  return !content.ends_with(":*") && split_at_stars(content).size() == 1;
}

}  // namespace host::permission::shell
