// A rule's content and a command, parted by the first newline: what allows is never wider than what
// denies, and plain text is the command itself. A variable may have any value: what a rule sees of
// the command with the value in its place, it may see of the command without.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "permission/decision/rule_review.h"
#include "permission/shell/command.h"
#include "permission/shell/expansion.h"
#include "permission/shell/pattern.h"

namespace permission = host::permission;
namespace shell = host::permission::shell;

namespace {

permission::RulePtr allowing(std::string_view content) {
  permission::Rule rule{"shell", std::string(content), permission::Behavior::Allow,
                        permission::Scope::Host, "fuzz"};
  return std::make_shared<const permission::Rule>(std::move(rule));
}

void require(bool holds) {
  if (!holds) std::abort();
}

// The words as they are with this value for all that nobody knows; an empty word is none.
std::string with_value(const shell::Segment& segment, std::string_view value) {
  std::string text;
  for (const shell::Word& word : segment.words) {
    std::string filled;
    for (const char c : word.shape)
      filled.append(c == shell::kHole ? value : std::string_view(&c, 1));
    if (filled.empty() && shell::is_open(word)) continue;
    text.append(text.empty() ? "" : " ").append(filled);
  }
  return text;
}

void require_seen_through_values(std::string_view content, const std::string& command_text,
                                 const permission::Place& place) {
  const shell::Command command(command_text, place);
  if (!command.trouble().empty() || command.may_be_touched_by(content)) return;
  for (const shell::Segment& segment : shell::scan(command_text, place).segments) {
    const bool open = std::any_of(segment.words.begin(), segment.words.end(), shell::is_open);
    for (const std::string_view value : {std::string_view(), content, std::string_view("a b")})
      require(!open || !shell::touches(content, with_value(segment, value)));
  }
}

// With a variable, set or not, in each place where one can stand.
void require_no_variable_hides(std::string_view content, std::string_view command_text,
                               const permission::Place& place) {
  constexpr std::size_t kMostPlaces = 64;
  for (std::size_t at = 0; at <= std::min(command_text.size(), kMostPlaces); ++at) {
    std::string changed(command_text);
    require_seen_through_values(content, changed.insert(at, "${X}"), place);
  }
}

bool same_word(const shell::Word& changed, const shell::Word& written) {
  return changed.text == written.text && changed.wildcard == written.wildcard &&
         (written.literal || !changed.literal);
}

bool same_redirect(const shell::Redirect& changed, const shell::Redirect& written) {
  return same_word(changed.target, written.target) && changed.writes == written.writes;
}

bool same_segment(const shell::Segment& changed, const shell::Segment& written) {
  return changed.variables == written.variables && changed.reads_pipe == written.reads_pipe &&
         std::ranges::equal(changed.values, written.values, same_word) &&
         std::ranges::equal(changed.words, written.words, same_word) &&
         std::ranges::equal(changed.redirects, written.redirects, same_redirect);
}

// A line that continues in any place changes nothing, or it is trouble. In single quotes, in a
// comment and behind a backslash it is text.
void require_no_continued_line_hides(std::string_view command_text,
                                     const permission::Place& place) {
  constexpr std::size_t kMostPlaces = 64;
  if (command_text.find_first_of("'#\\") != std::string_view::npos) return;
  const shell::Script written = shell::scan(command_text, place);
  for (std::size_t at = 0; at <= std::min(command_text.size(), kMostPlaces); ++at) {
    std::string text(command_text);
    const shell::Script changed = shell::scan(text.insert(at, "\\\n"), place);
    if (!changed.trouble.empty()) continue;
    require(written.trouble.empty());
    require(std::ranges::equal(changed.segments, written.segments, same_segment));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos || size > 4096) return 0;
  const std::string_view content = text.substr(0, line);
  const std::string_view command_text = text.substr(line + 1);
  if (content.empty()) return 0;

  if (shell::covers(content, command_text)) require(shell::touches(content, command_text));
  if (shell::is_plain_text(content) && content.find('\\') == std::string_view::npos)
    require(shell::covers(content, command_text) == (content == command_text));

  const permission::Place place{"/home/u", "/nonexistent"};
  const shell::Command command(command_text, place);
  require_seen_through_values(content, std::string(command_text), place);
  require_no_variable_hides(content, command_text, place);
  require_no_continued_line_hides(command_text, place);
  const permission::RulePtr rule = allowing(content);
  const auto allowed = command.allowed_by({&rule, 1}, permission::DangerousPaths(), {});
  if (allowed) {
    // Trouble is never allowed, and the same content would have denied it.
    require(command.trouble().empty());
    require(command.touched_by(content));
  }
  // No rule allows what no rule could be made for.
  if (!command.trouble().empty()) require(command.suggestions().empty());
  for (const std::string& suggested : command.suggestions())
    require(permission::review_shell_rule(*allowing(suggested)).empty());
  return 0;
}
