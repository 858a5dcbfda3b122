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
                 const config::Agent* agent, std::set<std::string> hidden)
    : catalog_(catalog),
      groups_(agent ? groups_for(groups, *agent) : groups, switchable_for(agent)),
      plugins_(plugins_of(agent)),
      hidden_upstreams_(std::move(hidden)) {
  catalog.on_publish([weak = std::weak_ptr(narrowed_)] {
    if (const auto narrowed = weak.lock()) narrowed->reset();
  });
}

void Profile::set_builtin(std::shared_ptr<tool::Provider> provider) {
  builtin_ = std::move(provider);
  builtin_changed();
}

void Profile::set_session_tools(std::shared_ptr<tool::Provider> provider) {
  session_tools_ = std::move(provider);
  narrowed_->reset();
}

bool Profile::keeps(const tool::Provider& provider) const {
  if (provider.identity().is_host()) {
    if (provider.name() == kSessionTools) return !session_tools_;
    return provider.name() != kBuiltin || !builtin_;
  }
  if (provider.identity().is_upstream()) return !hidden_upstreams_.contains(provider.name());
  return !plugins_ || plugins_->contains(provider.name());
}

const std::shared_ptr<const tool::Snapshot>& Profile::snapshot() const {
  if (!plugins_ && !builtin_ && !session_tools_ && hidden_upstreams_.empty())
    return catalog_.snapshot();
  if (!*narrowed_) *narrowed_ = narrowed(*catalog_.snapshot());
  return *narrowed_;
}

std::shared_ptr<const tool::Snapshot> Profile::narrowed(const tool::Snapshot& all) const {
  std::vector<tool::Entry> entries;
  for (const tool::Entry& entry : all.entries()) {
    if (keeps(*entry.provider) || is_run_by_the_host(*entry.tool)) entries.push_back(entry);
  }
  if (session_tools_) {
    for (const auto& tool : session_tools_->tools()) entries.push_back({tool, session_tools_});
  }
  std::optional<tool::Offers::Source> own;
  if (builtin_) {
    for (const auto& tool : builtin_->tools()) entries.push_back({tool, builtin_});
    own = {std::string(kBuiltin), builtin_, std::make_shared<const tool::Offer>(builtin_->offer())};
  }
  tool::Offers offers = all.offers().narrowed(
      [this](const tool::Provider& provider) { return keeps(provider); }, own ? &*own : nullptr);
  return std::make_shared<const tool::Snapshot>(std::move(entries), std::move(offers));
}

Profiles::Profiles(tool::Catalog& catalog, const config::Config& config)
    : own_(catalog, config.groups, nullptr, hidden_upstreams(config, {})) {
  for (const auto& [name, agent] : config.agents) {
    agents_.try_emplace(name, catalog, config.groups, &agent, hidden_upstreams(config, name));
  }
}

const Profile* Profiles::find(std::string_view agent) const {
  if (agent.empty()) return &own_;
  const auto found = agents_.find(agent);
  return found == agents_.end() ? nullptr : &found->second;
}

Profile* Profiles::find(std::string_view agent) {
  return const_cast<Profile*>(std::as_const(*this).find(agent));
}

}  // namespace host::router
