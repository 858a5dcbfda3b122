// Facts about one call, derived from its arguments. Each is computed when it is first needed.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "permission/decision/decision.h"
#include "permission/path/dangerous_path.h"
#include "permission/path/real_path.h"
#include "permission/shell/command.h"

namespace host::permission {

class Facts {
 public:
  Facts(const Request& request, const DangerousPaths& dangerous, const Place& place)
      : request_(request), dangerous_(dangerous), place_(place) {}

  // True if this call changes nothing. False if it has a dangerous path, also below a folder that
  // it searches.
  bool is_read_only();

  // True if its check_read_only says so and is trusted, or if the host judges that its command only
  // reads. Dangerous paths are not considered. A worker enforces it.
  bool is_judged_to_read();

  // The reason why a call that changes nothing needs approval all the same; empty: none.
  const std::string& danger_below();

  // The reason why the call needs approval whatever the rules say; empty: none.
  const std::string& danger();

  // Matches a deny or ask rule. Its content is ignored if the tool defines no form of content:
  // otherwise no call could match the rule, and it would forbid nothing.
  Match touched_by(const Rule& rule);

  // The allow rule that covers the call, or null.
  RulePtr allowed_by(std::span<const RulePtr> rules);

  // True if it only edits inside `folders`, by real path.
  bool edits_only_inside(const std::vector<std::string>& folders);

  // Rules that would allow similar calls.
  std::vector<Rule> suggestions();

 private:
  bool says_it_reads() const;
  bool has_command() const { return !request_.tool.command_arg.empty(); }
  bool has_paths() const { return !request_.tool.path_args.empty(); }
  bool matches_itself() const {
    return request_.tool.has_match_rule && request_.standing.own_match;
  }
  // The command, seen from the folder that the tool's own check gives. If it gives none: from the
  // host's folder, and also from each path among the call's other arguments, because it may run
  // there.
  const std::deque<shell::Command>& commands();
  std::string_view told_cwd() const;
  // True if it is known which files the command names. A relative path could be a link to anything
  // if its base folder is unknown.
  bool command_is_placed();
  const shell::Command& command() { return commands().front(); }
  bool command_is_read_only();
  const std::vector<std::string_view>& paths();
  void add_paths(const json::Value& value);
  std::string find_danger();
  bool seen_to_touch(const std::string& content);
  Match answered(std::string_view content) const;
  RulePtr paths_allowed_by(std::span<const RulePtr> rules);

  const Request& request_;
  const DangerousPaths& dangerous_;
  const Place& place_;
  std::deque<Place> places_;             // places of commands_, if they differ from place_
  std::deque<shell::Command> commands_;  // empty: not computed yet
  bool bad_command_ = false;             // the argument is not a text
  std::optional<std::vector<std::string_view>> paths_;
  bool too_many_paths_ = false;
  std::optional<std::string> danger_;
  std::optional<std::string> danger_below_;
};

}  // namespace host::permission
