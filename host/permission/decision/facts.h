// What can be found out about one call from its arguments, each fact when it is first asked for.
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

  // Does this very call change nothing? A dangerous path makes it no, also one below a folder that
  // it searches.
  bool is_read_only();

  // That its check_read_only says so, where that is believed, and the host of its command; whatever
  // else speaks against it. A worker holds the call to it.
  bool is_judged_to_read();

  // Why a call that changes nothing is asked about like one that does; empty: it is not.
  const std::string& danger_below();

  // What a person must see before it runs; empty: nothing.
  const std::string& danger();

  // A deny or ask rule. Its content is left out where the tool defines no form of content: then no
  // call could match it, and the rule would forbid nothing.
  Match touched_by(const Rule& rule);

  // The allow rule that covers the call, or null.
  RulePtr allowed_by(std::span<const RulePtr> rules);

  // Edits only within `folders`, by real path.
  bool edits_only_inside(const std::vector<std::string>& folders);

  // Rules that would allow calls like this one.
  std::vector<Rule> suggestions();

 private:
  bool says_it_reads() const;
  bool has_command() const { return !request_.tool.command_arg.empty(); }
  bool has_paths() const { return !request_.tool.path_args.empty(); }
  bool matches_itself() const {
    return request_.tool.has_match_rule && request_.standing.own_match;
  }
  // The command as it is seen from the folder that the tool's own check says it runs in. Where that
  // says none: from the host's own folder, and, where paths are given beside it, from each of these
  // too, for one may be the folder that it runs in.
  const std::deque<shell::Command>& commands();
  std::string_view told_cwd() const;
  // Is it known which files it names? A relative path could be a link to anything, where nobody
  // says from which folder it is meant.
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
  std::deque<Place> places_;             // of commands_, where they are not place_
  std::deque<shell::Command> commands_;  // empty: not looked at yet
  bool bad_command_ = false;             // the argument is no text
  std::optional<std::vector<std::string_view>> paths_;
  bool too_many_paths_ = false;
  std::optional<std::string> danger_;
  std::optional<std::string> danger_below_;
};

}  // namespace host::permission
