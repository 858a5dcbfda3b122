// Permission: may this call run, must a person be asked, or not at all.
//
// An engine is the host's policy, compiled once and immutable; a changed configuration makes a new
// one, and whoever holds the old one may end its call with it. decide() is a function of the engine
// and the request, save that it follows symbolic links of paths that a call names. I/O thread.
//
//   const Needs needs = engine.needs(request);        // which of the tool's own functions to ask
//   Answers answers = ... ask them, read_check(), read_match(), read_read_only() ...
//   request.answers = &answers;
//   Decision decision = engine.decide(request);
//   if (decision.wants_suggestions) suggest(decision, read_suggestions(... ask the tool ...));
//
// docs: the order of steps stands in policy.cpp, one function a step.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "permission/decision/decision.h"
#include "permission/path/dangerous_path.h"
#include "permission/path/real_path.h"
#include "permission/rule/rule_set.h"

namespace host::permission {

class Policy;

struct Settings {
  Mode mode = Mode::Default;
  std::vector<Rule> rules;
  std::vector<std::string> working_dirs;     // absolute
  std::vector<std::string> dangerous_paths;  // added to the built-in ones
  Place place;
};

Settings settings_of(const config::Permission& permission, Place place);

class Engine {
 public:
  explicit Engine(Settings settings);

  // A deny rule without content names the tool: it is not even listed.
  bool denied_by_name(std::string_view tool) const { return rules_.denied_by_name(tool); }
  // That rule, or null.
  RulePtr denial_by_name(std::string_view tool) const;

  Needs needs(const Request& request) const;
  Decision decide(const Request& request) const;

  // For post_ tools, which nobody is asked about: deny rules alone.
  Decision decide_post(const Request& request) const;

  // The mode and folders that hold for a call, for context_text().
  Mode mode(const Request& request) const;
  std::vector<std::string> working_dirs(const Request& request) const;

 private:
  friend class Policy;

  Mode mode_;
  RuleSet rules_;
  std::vector<std::string> working_dirs_;
  DangerousPaths dangerous_;
  Place place_;
};

}  // namespace host::permission
