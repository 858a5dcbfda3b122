#include "permission/shell/pattern.h"

#include <string>
#include <vector>

namespace host::permission::shell {
namespace {

// The literal texts between unescaped stars; one text: there is no star.
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

bool is_plain_text(std::string_view content) {
  return !content.ends_with(":*") && split_at_stars(content).size() == 1;
}

}  // namespace host::permission::shell
