// The permission engine decides whether a call is allowed, needs approval, or is denied.
//
// A permission engine is the host's compiled policy. The engine is immutable. If the configuration
// changes, the host makes a new engine, and calls in progress keep the old engine. decide() depends
// only on the engine and the request, except that it follows symbolic links of paths in the call.
// The functions of this header are called on the I/O thread.
//
// needs() returns the tool's check functions that the host must call before the decision. Store the
// answers of the check functions in Request::answers, and call decide(). If
// Decision::wants_suggestions is true, call the tool's generate_suggestions, and pass the result to
// suggest().
//
// policy.cpp has one function for each step of a decision, in the order of the steps.
#pragma once

#include <optional>
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
  std::vector<std::string> dangerous_paths;  // dangerous paths in addition to the built-in list
  Place place;
};

Settings settings_of(const config::Permission& permission, Place place);

class Engine {
 public:
  explicit Engine(Settings settings);

  // Returns true if a deny rule without content names the tool, so that clients do not see the
  // tool.
  bool denied_by_name(std::string_view tool) const { return rules_.denied_by_name(tool); }
  // Returns the deny rule without content that names the tool, or null.
  RulePtr denial_by_name(std::string_view tool) const;

  Needs needs(const Request& request) const;
  Decision decide(const Request& request) const;
  // Decides about a request like decide(), if no check function of the tool is needed. Returns
  // nullopt if a check function must be called before the decision.
  std::optional<Decision> decide_without_answers(const Request& request) const;

  // Decides about a call of a post_ tool. Post_ tools never need approval, so only deny rules
  // apply.
  Decision decide_post(const Request& request) const;

  // mode() and working_dirs() return the mode and the folders of a call, which its check functions
  // need.
  Mode mode(const Request& request) const;
  std::vector<std::string> working_dirs(const Request& request) const;

 private:
  friend class Policy;

  Mode mode_without_session(const Request& request) const;

  Mode mode_;
  RuleSet rules_;
  std::vector<std::string> working_dirs_;
  DangerousPaths dangerous_;
  Place place_;
};

}  // namespace host::permission
