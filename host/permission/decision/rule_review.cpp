#include "permission/decision/rule_review.h"

#include <algorithm>

#include "permission/shell/pattern.h"
#include "permission/shell/runners.h"
#include "permission/shell/steerable.h"
#include "permission/shell/words.h"

namespace host::permission {
namespace {

// Why a rule with a wildcard allows every program; empty: it does not. Decided by the command at
// the beginning of the content, up to its first wildcard.
std::string_view how_it_allows_all(std::string_view content) {
  const std::string_view begin = content.substr(0, content.find_first_of(":*"));
  if (begin.size() == content.size()) return {};
  const shell::Script script = shell::scan(begin, Place{"/", "/"});
  if (script.segments.size() != 1 || script.segments[0].words.empty()) return {};
  if (shell::runs_programs(script.segments[0].words)) {
    return "the program in this rule runs other programs";
  }
  if (shell::is_steerable(script.segments[0].words)) {
    return "arguments, or files in its folder, can make the program in this rule run other "
           "programs";
  }
  return {};
}

// Rules of this form are made by "always" on purpose, so they get no warning.
bool is_as_suggested(std::string_view content) {
  return content.find(' ') != content.npos;
}

}  // namespace

std::string review_shell_rule(const Rule& rule) {
  if (rule.whole_tool() || rule.behavior != Behavior::Allow) return {};
  const std::string& content = *rule.content;
  if (const std::string_view how = how_it_allows_all(content); !how.empty()) {
    return std::string(how) + ", so the rule allows every program. Name the whole command instead.";
  }
  if (!shell::is_plain_text(content) || is_as_suggested(content)) return {};
  return "this rule allows the command \"" + content +
         "\" alone. Earlier versions also allowed every command that contains it. Write \"" +
         content + ":*\" to allow it with any arguments.";
}

std::string review_path_pattern(std::string_view content) {
  if (content.front() == ' ' || content.back() == ' ')
    return "it begins or ends with a space. Remove it";
  if (content.find("://") != std::string_view::npos || content.starts_with("file:"))
    return "it is a URL. Write the path alone";
  if (content.starts_with('$')) return "variables are not replaced. Write the folder itself, or ~/";
  if (content.size() > 1 && content.ends_with('/'))
    return "it ends with \"/\". Write \"" + std::string(content) + "**\" for all that is inside";
  std::string_view rest = content;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, end);
    const bool is_first = rest.size() == content.size();
    if (part == "." || part == ".." || (part.empty() && !is_first)) {
      return "paths are compared without \"//\", \".\" and \"..\". Write the path without them";
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

bool takes_only_paths(const tool::Declaration& tool) {
  return !tool.path_args.empty() && tool.command_arg.empty() && !tool.has_match_rule;
}

bool takes_content(const tool::Declaration& tool) {
  return tool.has_match_rule || !tool.path_args.empty() || !tool.command_arg.empty();
}

}  // namespace host::permission
