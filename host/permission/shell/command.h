// One shell command as permission sees it: what rules say about it, whether it changes anything,
// what makes it dangerous, which rules would allow its like.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "permission/path/dangerous_path.h"
#include "permission/rule/rule_set.h"
#include "permission/shell/acts.h"
#include "permission/shell/words.h"

namespace host::permission::shell {

class Command {
 public:
  // Both outlive it.
  Command(std::string_view text, const Place& place);

  bool empty() const { return script_.trouble.empty() && script_.segments.empty(); }

  // Why nobody can tell for certain what it does; empty: it can be followed.
  const std::string& trouble() const { return acts_.trouble(); }

  // Deny and ask rules: one segment that fits is enough, in any spelling that we know.
  bool touched_by(std::string_view content) const;

  // The same for what the shell may make of the command: variables and wildcards may become words
  // that the content touches.
  bool may_be_touched_by(std::string_view content) const;

  // Allow rules: each segment must fit one of them, or change nothing and read nothing dangerous
  // below a folder. The rule that fits first; null where a segment fits none. Trouble is never
  // allowed.
  RulePtr allowed_by(std::span<const RulePtr> rules, const DangerousPaths& paths,
                     std::span<const std::string> extra) const;

  // Known commands that change nothing; says nothing about dangerous paths.
  bool is_read_only() const;

  // Has it a word that may be a path, and does not say whence? "." is the folder that it runs in.
  bool names_relative_paths() const;

  // What it reads unasked, as a read-only command, and should not: a dangerous path below a folder
  // that it searches.
  std::optional<std::string> danger_below(const DangerousPaths& paths,
                                          std::span<const std::string> extra) const;

  // What a person must see before it runs: the first of trouble, dangerous command, odd sed script,
  // dangerous path, critical removal. `extra` are the tool's own dangerous paths. A command that
  // changes nothing is looked at for trouble and paths only.
  std::optional<std::string> danger(const DangerousPaths& paths,
                                    std::span<const std::string> extra) const;

  // One file command all of whose targets lie, really, within `folders` (real paths themselves),
  // among commands that change nothing.
  bool edits_only_inside(std::span<const std::string> folders, const DangerousPaths& paths,
                         std::span<const std::string> extra) const;

  // Contents of rules that would allow commands like this one.
  std::vector<std::string> suggestions() const;

 private:
  template <class Test>
  bool any_segment(Test test) const;
  template <class Test>
  bool any_act(Test test) const;

  std::vector<bool> harmless_segments(const DangerousPaths& paths,
                                      std::span<const std::string> extra) const;

  std::string_view text_;
  const Place& place_;
  Script script_;
  Acts acts_;
};

}  // namespace host::permission::shell
