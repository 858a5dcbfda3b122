// A rulebook consists of the host's permission policy and the rules that agents and sessions add. A
// rulebook is immutable. When rules change, the host makes a new rulebook, and calls in progress
// keep the old rulebook.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "permission/decision/decision.h"
#include "permission/decision/engine.h"

namespace host::permission {

// A Caller is the caller for whom rules are looked up. `agent` and `session` are empty if the
// caller has none.
struct Caller {
  std::string_view principal;
  std::string_view agent;
  std::string_view session;
};

struct Rulebook {
  Engine engine;
  std::map<std::string, Overlay, std::less<>> agents;
  std::map<std::string, Overlay, std::less<>> sessions;
  std::map<std::pair<std::string, std::string>, Overlay> callers;  // by principal and agent

  // of_agent(), of_session() and of_caller() return the overlay of an agent, a session or a caller.
  // The functions return nullptr if the overlay adds nothing to the host's policy.
  const Overlay* of_agent(std::string_view name) const;
  const Overlay* of_session(std::string_view id) const;
  const Overlay* of_caller(std::string_view principal, std::string_view agent) const;

  // Returns the rule that denies this caller every call of the tool, or null. If a rule is
  // returned, tools/list does not show the tool.
  RulePtr denial_by_name(std::string_view tool, const Caller& caller) const;
};

// An OwnedRule is a rule, and the calls to which it applies.
struct OwnedRule {
  Rule rule;
  std::string agent;    // the rule applies to calls of this agent; empty: to all calls
  std::string session;  // the rule applies to calls of this session; empty: to all calls
  // If the principal is empty, the rule applies to the calls of all principals. If a principal is
  // set, the rule applies only to this principal's calls with the agent `agent`. If a principal is
  // set and `agent` is empty, the rule applies only to the principal's calls without an agent.
  std::string principal{};
};

// Returns the rules of the configuration: first the host's rules, then the rules of agents.
std::vector<OwnedRule> configured_rules(const config::Config& config);

Rulebook make_rulebook(const config::Config& config, const Place& place,
                       const std::vector<OwnedRule>& added);

}  // namespace host::permission
