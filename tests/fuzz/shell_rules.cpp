// A rule's content and a command, parted by the first newline: what allows is never wider than what
// denies, and plain text is the command itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "permission/decision/rule_review.h"
#include "permission/shell/command.h"
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
  const permission::RulePtr rule = allowing(content);
  const auto allowed = command.allowed_by({&rule, 1});
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
