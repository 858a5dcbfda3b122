#include "permission/decision/rulebook.h"

#include <utility>
#include <vector>

namespace host::permission {
namespace {

using Overlays = std::map<std::string, Overlay, std::less<>>;

const Overlay* find_overlay(const Overlays& overlays, std::string_view name) {
  if (name.empty()) return nullptr;
  const auto found = overlays.find(name);
  return found == overlays.end() ? nullptr : &found->second;
}

RulePtr denial_in(const RuleSet& rules, std::string_view tool) {
  const ToolRules* const known = rules.find(tool);
  return known ? known->denied : nullptr;
}

}  // namespace

const Overlay* Rulebook::of_agent(std::string_view name) const {
  return find_overlay(agents, name);
}

const Overlay* Rulebook::of_session(std::string_view id) const {
  return find_overlay(sessions, id);
}

const Overlay* Rulebook::of_caller(std::string_view principal, std::string_view agent) const {
  if (callers.empty()) return nullptr;
  const auto found = callers.find({std::string(principal), std::string(agent)});
  return found == callers.end() ? nullptr : &found->second;
}

RulePtr Rulebook::denial_by_name(std::string_view tool, const Caller& caller) const {
  if (RulePtr denial = engine.denial_by_name(tool)) return denial;
  for (const Overlay* overlay : {of_agent(caller.agent), of_session(caller.session),
                                 of_caller(caller.principal, caller.agent)}) {
    if (!overlay) continue;
    if (RulePtr denial = denial_in(overlay->rules, tool)) return denial;
  }
  return nullptr;
}

std::vector<OwnedRule> configured_rules(const config::Config& config) {
  std::vector<OwnedRule> out;
  for (Rule& rule : rules_of(config.permission.rules, Scope::Host)) {
    out.push_back({std::move(rule), {}, {}});
  }
  for (const auto& [name, agent] : config.agents) {
    for (Rule& rule : rules_of(agent.rules, Scope::Agent)) {
      out.push_back({std::move(rule), name, {}});
    }
  }
  return out;
}

Rulebook make_rulebook(const config::Config& config, const Place& place,
                       const std::vector<OwnedRule>& added) {
  Settings settings = settings_of(config.permission, place);
  std::map<std::string, std::vector<Rule>> of_agents;
  std::map<std::string, std::vector<Rule>> of_sessions;
  std::map<std::pair<std::string, std::string>, std::vector<Rule>> of_callers;
  for (const auto& [name, agent] : config.agents)
    of_agents[name] = rules_of(agent.rules, Scope::Agent);
  for (const OwnedRule& one : added) {
    if (!one.session.empty()) {
      of_sessions[one.session].push_back(one.rule);
    } else if (!one.principal.empty()) {
      of_callers[{one.principal, one.agent}].push_back(one.rule);
    } else if (!one.agent.empty()) {
      of_agents[one.agent].push_back(one.rule);
    } else {
      settings.rules.push_back(one.rule);
    }
  }
  Rulebook made{Engine(std::move(settings)), {}, {}, {}};
  for (auto& [name, rules] : of_agents) {
    Overlay& overlay = made.agents[name];
    overlay.rules = RuleSet(std::move(rules));
    const config::Agent* const agent = config::agent(config, name);
    if (!agent) continue;  // rules of a removed agent apply again when it returns
    overlay.mode = agent->mode;
    for (const auto& folder : agent->working_dirs) {
      overlay.working_dirs.push_back(absolute_path(folder.native(), place));
    }
  }
  for (auto& [id, rules] : of_sessions) made.sessions[id].rules = RuleSet(std::move(rules));
  for (auto& [who, rules] : of_callers) made.callers[who].rules = RuleSet(std::move(rules));
  return made;
}

}  // namespace host::permission
