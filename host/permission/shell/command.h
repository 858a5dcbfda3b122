// Analyses one shell command: which rules match it, whether it changes anything, why it is
// dangerous, and which rules would allow similar commands.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "permission/path/budget.h"
#include "permission/path/dangerous_path.h"
#include "permission/rule/rule_set.h"
#include "permission/shell/acts.h"
#include "permission/shell/words.h"

namespace host::permission::shell {

// Pass the same `paths` and `extra` in all calls: a Command remembers results.
class Command {
 public:
  // `text` and `place` must outlive the Command. All Command objects of one call share a budget. If
  // the budget is used up, every command counts as dangerous, and no command counts as harmless.
  Command(std::string_view text, const Place& place,
          std::shared_ptr<Budget> budget = std::make_shared<Budget>());

  bool empty() const { return script_.trouble.empty() && script_.segments.empty(); }

  // Returns the reason why the host cannot understand the command with certainty, or an empty text.
  const std::string& trouble() const { return acts_.trouble(); }

  // Returns true if a deny or ask rule with this content applies to the command. A rule applies if
  // it matches one of the commands in the text, also a command that a program such as sudo runs.
  bool touched_by(std::string_view content) const;

  // Returns true if touched_by() could be true for some values of the command's variables and
  // wildcards.
  bool may_be_touched_by(std::string_view content) const;

  // Returns the first matching rule of the allow rules `rules`, or null if the rules do not allow
  // the command. Each segment (a part of the command between operators) must match a rule, or must
  // be read-only and search no folder with a dangerous path. For a command that the host cannot
  // understand (see trouble()), allowed_by() always returns null.
  RulePtr allowed_by(std::span<const RulePtr> rules, const DangerousPaths& paths,
                     std::span<const std::string> extra) const;

  // Returns true if the command consists of known commands that change nothing. is_read_only() does
  // not check for dangerous paths.
  bool is_read_only() const;

  // Returns true if a word can be a relative path, which starts at the folder in which the command
  // runs.
  bool names_relative_paths() const;

  // Returns a dangerous path below a folder that a read-only command searches, so that the command
  // would read the path.
  std::optional<std::string> danger_below(const DangerousPaths& paths,
                                          std::span<const std::string> extra) const;

  // Returns the reason why the command needs an approval even if a rule allows it. The function
  // looks for reasons in this order, and returns the first that it finds: trouble(), a dangerous
  // command, an unusual sed script, a dangerous path, a critical removal, unknown words (that a
  // program such as xargs adds). `extra` are the tool's own dangerous paths. For a command that
  // changes nothing, the function does not check for dangerous commands and unusual sed scripts.
  std::optional<std::string> danger(const DangerousPaths& paths,
                                    std::span<const std::string> extra) const;

  // Returns true if one segment is a file command such as cp (edits.h) and the other segments
  // change nothing. The real paths of all targets of the file command must be inside `folders`,
  // which are real paths too.
  bool edits_only_inside(std::span<const std::string> folders, const DangerousPaths& paths,
                         std::span<const std::string> extra) const;

  // Returns contents of rules that would allow similar commands.
  std::vector<std::string> suggestions() const;

 private:
  template <class Test>
  bool any_segment(Test test) const;
  template <class Test>
  bool any_act(Test test) const;

  // The Command remembers the results of read_only() and dangers(), because both functions look at
  // many files.
  const std::vector<bool>& read_only() const;
  const std::vector<std::optional<std::string>>& dangers(const DangerousPaths& paths,
                                                         std::span<const std::string> extra) const;

  std::vector<bool> harmless_segments(const DangerousPaths& paths,
                                      std::span<const std::string> extra) const;

  std::string_view text_;
  const Place& place_;
  std::shared_ptr<Budget> budget_;
  Script script_;
  Acts acts_;
  mutable std::optional<std::vector<bool>> read_only_;
  mutable std::optional<std::vector<std::optional<std::string>>> dangers_;
};

}  // namespace host::permission::shell
