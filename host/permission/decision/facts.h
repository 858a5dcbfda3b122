// Computes facts about one call from the call's arguments. Each fact is computed when it is first
// needed.
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

  // Returns true if this call changes nothing. is_read_only() returns false if one of the call's
  // paths is dangerous, or if a folder that the call searches contains a dangerous path.
  bool is_read_only();

  // Returns true if the tool's check_read_only says that the call only reads, and the host trusts
  // this answer. is_judged_to_read() is also true if the host's own analysis says that the call's
  // command only reads. is_judged_to_read() does not check for dangerous paths. If the plugin has
  // separate workers for read-only calls, these workers cannot write.
  bool is_judged_to_read();

  // Returns the reason why a call needs approval although it changes nothing, or an empty
  // text.
  const std::string& danger_below();

  // Returns the reason why the call needs approval even if a rule allows the call, or an empty
  // text.
  const std::string& danger();

  // Matches the call against a deny or ask rule. If the tool does not support contents of rules,
  // touched_by() ignores the content, so that the rule applies to every call of the tool.
  Match touched_by(const Rule& rule);

  // Returns the allow rule that covers the call, or null.
  RulePtr allowed_by(std::span<const RulePtr> rules);

  // Returns true if the call only edits files inside `folders`. edits_only_inside() compares real
  // paths.
  bool edits_only_inside(const std::vector<std::string>& folders);

  // Returns rules that would allow similar calls.
  std::vector<Rule> suggestions();

 private:
  bool says_it_reads() const;
  bool has_command() const { return !request_.tool.command_arg.empty(); }
  bool has_paths() const { return !request_.tool.path_args.empty(); }
  bool matches_itself() const {
    return request_.tool.has_match_rule && request_.standing.own_match;
  }
  // Returns the call's command, analysed once for each folder in which the command could run. The
  // tool's check function can say in which folder the command runs. If the check function names no
  // folder, commands() assumes the host's folder and each path among the call's other arguments.
  const std::deque<shell::Command>& commands();
  std::string_view told_cwd() const;
  // Returns true if the host knows which files the command names. command_is_placed() returns false
  // if a relative path has an unknown base folder, because the path could then be a link to any
  // file.
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
  std::deque<Place> places_;             // places of commands_ that differ from place_
  std::deque<shell::Command> commands_;  // empty: not computed yet
  bool bad_command_ = false;             // the command argument is not a text
  std::optional<std::vector<std::string_view>> paths_;
  bool too_many_paths_ = false;
  std::optional<std::string> danger_;
  std::optional<std::string> danger_below_;
};

}  // namespace host::permission
