// What can be found out about one call from its arguments, each fact when it is first asked for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "permission/dangerous_path.h"
#include "permission/decision.h"
#include "permission/real_path.h"
#include "permission/shell_command.h"

namespace host::permission {

class Facts {
 public:
  Facts(const Request& request, const DangerousPaths& dangerous, const Place& place)
      : request_(request), dangerous_(dangerous), place_(place) {}

  // Does this very call change nothing? A dangerous path makes it no.
  bool is_read_only();

  // What a person must see before it runs; empty: nothing.
  const std::string& danger();

  // A deny or ask rule with content.
  Match touched_by(const Rule& rule);

  // The allow rule that covers the call, or null.
  RulePtr allowed_by(std::span<const RulePtr> rules);

  // Edits only within `folders`, by real path.
  bool edits_only_inside(const std::vector<std::string>& folders);

  // Rules that would allow calls like this one.
  std::vector<Rule> suggestions();

 private:
  bool has_command() const { return !request_.tool.command_arg.empty(); }
  bool has_paths() const { return !request_.tool.path_args.empty(); }
  const shell::Command& command();
  const std::vector<std::string_view>& paths();
  void add_paths(const json::Value& value);
  std::string find_danger();
  Match answered(std::string_view content) const;
  bool command_edits_inside(const std::vector<std::string>& folders, std::string cwd);
  RulePtr paths_allowed_by(std::span<const RulePtr> rules);

  const Request& request_;
  const DangerousPaths& dangerous_;
  const Place& place_;
  std::optional<shell::Command> command_;
  bool bad_command_ = false;  // the argument is no text
  std::optional<std::vector<std::string_view>> paths_;
  bool too_many_paths_ = false;
  std::optional<std::string> danger_;
};

}  // namespace host::permission
