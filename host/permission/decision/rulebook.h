// The host's policy, and what agents and sessions add to it. Immutable: changed rules make another,
// and whoever holds the old one ends its call with it.
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

// Who calls. An agent or a session that is none is empty.
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

  // nullptr: it adds nothing.
  const Overlay* of_agent(std::string_view name) const;
  const Overlay* of_session(std::string_view id) const;
  const Overlay* of_caller(std::string_view principal, std::string_view agent) const;

  // The rule that denies this caller the tool as a whole, or null. What it is true for is not even
  // listed.
  RulePtr denial_by_name(std::string_view tool, const Caller& caller) const;
};

// A rule, and for whose calls it holds.
struct OwnedRule {
  Rule rule;
  std::string agent;        // for its calls alone; empty: for all
  std::string session;      // the same
  std::string principal{};  // the same, and only as this very agent; empty `agent`: as none
};

// Those of the configuration, the agents' after the host's.
std::vector<OwnedRule> configured_rules(const config::Config& config);

Rulebook make_rulebook(const config::Config& config, const Place& place,
                       const std::vector<OwnedRule>& added);

}  // namespace host::permission
