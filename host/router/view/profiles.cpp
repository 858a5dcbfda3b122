#include "router/view/profiles.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tool/definition/class.h"

namespace host::router {
namespace {

std::optional<std::set<std::string>> plugins_of(const config::Agent* agent) {
  if (!agent || !agent->plugins) return std::nullopt;
  return std::set<std::string>(agent->plugins->begin(), agent->plugins->end());
}

}  // namespace

bool is_run_by_the_host(const tool::Tool& tool) {
  return tool.tool_class() == tool::Class::Post || tool.tool_class() == tool::Class::Internal;
}

std::vector<config::Group> groups_for(const std::vector<config::Group>& groups,
                                      const config::Agent& agent) {
  std::vector<config::Group> own = groups;
  if (!agent.groups) return own;
  for (config::Group& group : own) {
    group.active =
        std::find(agent.groups->begin(), agent.groups->end(), group.name) != agent.groups->end();
  }
  return own;
}

Switchable switchable_for(const config::Agent* agent) {
  return agent && agent->groups ? Switchable::ActiveOnes : Switchable::All;
}

std::vector<config::Group> switchable_groups(const config::Config& config,
                                             const config::Agent* agent) {
  std::vector<config::Group> groups = agent ? groups_for(config.groups, *agent) : config.groups;
  if (switchable_for(agent) == Switchable::ActiveOnes)
    std::erase_if(groups, [](const config::Group& group) { return !group.active; });
  return groups;
}

std::set<std::string> hidden_upstreams(const config::Config& config, const std::string& agent) {
  const config::Agent* const profile = config::agent(config, agent);
  std::set<std::string> hidden;
  for (const config::Upstream& one : config.upstream) {
    const bool sees =
        one.agents ? std::find(one.agents->begin(), one.agents->end(), agent) != one.agents->end()
                   : !profile || !profile->plugins;
    if (!sees) hidden.insert(one.name);
  }
  return hidden;
}

Profile::Profile(tool::Catalog& catalog, const std::vector<config::Group>& groups,
                 const config::Agent* agent, std::set<std::string> hidden, std::string name)
    : catalog_(catalog),
      groups_(agent ? groups_for(groups, *agent) : groups, switchable_for(agent)),
      plugins_(plugins_of(agent)),
      hidden_upstreams_(std::move(hidden)),
      presets_(agent ? presets_in(agent->presets) : Presets()),
      agent_(std::move(name)) {
  catalog.on_publish([weak = std::weak_ptr(made_)] {
    if (const auto made = weak.lock()) *made = {};
  });
}

void Profile::set_builtin(std::shared_ptr<tool::Provider> provider) {
  builtin_ = std::move(provider);
  builtin_changed();
}

void Profile::set_session_tools(std::shared_ptr<tool::Provider> provider) {
  session_tools_ = std::move(provider);
  *made_ = {};
}

bool Profile::hide_upstreams(std::set<std::string> hidden) {
  if (hidden == hidden_upstreams_) return false;
  hidden_upstreams_ = std::move(hidden);
  *made_ = {};
  return true;
}

bool Profile::keeps(const tool::Provider& provider, const tool::Provider* builtin) const {
  if (provider.identity().is_host()) {
    if (provider.name() == kSessionTools) return !session_tools_;
    return provider.name() != kBuiltin || !builtin;
  }
  return sees(provider.identity().id());
}

bool Profile::sees(const tool::ProviderIdentity::Id& provider) const {
  using Kind = tool::ProviderIdentity::Kind;
  if (provider.kind == Kind::Host) return true;
  if (provider.kind == Kind::Upstream) return !hidden_upstreams_.contains(provider.name);
  return !plugins_ || plugins_->contains(provider.name);
}

const std::shared_ptr<const tool::Snapshot>& Profile::snapshot() const {
  if (!plugins_ && !builtin_ && !session_tools_ && hidden_upstreams_.empty() && presets_.empty())
    return catalog_.snapshot();
  if (!made_->own) made_->own = narrowed(builtin_);
  return made_->own;
}

std::shared_ptr<const tool::Snapshot> Profile::snapshot_with(
    const std::shared_ptr<tool::Provider>& builtin) const {
  auto& others = made_->others;
  const auto known = std::find_if(others.begin(), others.end(), [&](const Made::Other& other) {
    return other.builtin == builtin;
  });
  if (known != others.end()) {
    others.splice(others.begin(), others, known);
  } else {
    if (others.size() == kMostOthers) others.pop_back();
    others.push_front({builtin, narrowed(builtin)});
  }
  return others.front().snapshot;
}

std::shared_ptr<const tool::Snapshot> Profile::narrowed(
    const std::shared_ptr<tool::Provider>& builtin) const {
  const tool::Snapshot& all = *catalog_.snapshot();
  const auto stays = [&](const tool::Provider& provider) { return keeps(provider, builtin.get()); };
  std::vector<tool::Entry> entries;
  for (const tool::Entry& entry : all.entries()) {
    if (stays(*entry.provider) || is_run_by_the_host(*entry.tool)) entries.push_back(entry);
  }
  apply_presets(entries, presets_, PresetsOf::Agent, "agent " + agent_);
  if (session_tools_) {
    for (const auto& tool : session_tools_->tools()) entries.push_back({tool, session_tools_});
  }
  std::optional<tool::Offers::Source> own;
  if (builtin) {
    for (const auto& tool : builtin->tools()) entries.push_back({tool, builtin});
    own = {std::string(kBuiltin), builtin, std::make_shared<const tool::Offer>(builtin->offer())};
  }
  tool::Offers offers = all.offers().narrowed(stays, own ? &*own : nullptr);
  return std::make_shared<const tool::Snapshot>(std::move(entries), std::move(offers));
}

Profiles::Profiles(tool::Catalog& catalog, const config::Config& config)
    : own_(catalog, config.groups, nullptr, hidden_upstreams(config, {})) {
  for (const auto& [name, agent] : config.agents) {
    agents_.try_emplace(name, catalog, config.groups, &agent, hidden_upstreams(config, name), name);
  }
}

const Profile* Profiles::find(std::string_view agent) const {
  if (agent.empty()) return &own_;
  const auto found = agents_.find(agent);
  return found == agents_.end() ? nullptr : &found->second;
}

bool Profiles::take_upstreams(const config::Config& config) {
  return hide([&](const std::string& agent) { return hidden_upstreams(config, agent); });
}

bool Profiles::take_upstreams_of_both(const config::Config& before, const config::Config& after) {
  return hide([&](const std::string& agent) {
    std::set<std::string> hidden = hidden_upstreams(before, agent);
    hidden.merge(hidden_upstreams(after, agent));
    return hidden;
  });
}

bool Profiles::hide(const Hidden& hidden) {
  bool changed = own_.hide_upstreams(hidden({}));
  for (auto& [name, profile] : agents_) changed = profile.hide_upstreams(hidden(name)) || changed;
  return changed;
}

Profile* Profiles::find(std::string_view agent) {
  return const_cast<Profile*>(std::as_const(*this).find(agent));
}

}  // namespace host::router
