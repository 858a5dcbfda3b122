#include "permission/decision/rule_review.h"

#include "permission/shell/pattern.h"
#include "permission/shell/runners.h"
#include "permission/shell/words.h"

namespace host::permission {
namespace {

// The command that the content begins with, as far as it has no wildcards.
bool allows_any_program(std::string_view content) {
  const std::string_view begin = content.substr(0, content.find_first_of(":*"));
  if (begin.size() == content.size()) return false;
  const shell::Script script = shell::scan(begin, Place{"/", "/"});
  return script.segments.size() == 1 && !script.segments[0].words.empty() &&
         shell::runs_programs(script.segments[0].words);
}

}  // namespace

std::string review_shell_rule(const Rule& rule) {
  if (rule.whole_tool() || rule.behavior != Behavior::Allow) return {};
  const std::string& content = *rule.content;
  if (allows_any_program(content)) {
    return "the program in this rule runs other programs, so the rule allows every program. Name "
           "the whole command instead.";
  }
  if (!shell::is_plain_text(content)) return {};
  return "this rule allows the command \"" + content +
         "\" alone. Earlier versions also allowed every command that contains it. Write \"" +
         content + ":*\" to allow it with any arguments.";
}

}  // namespace host::permission
