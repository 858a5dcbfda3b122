#include "app/core/agent_skills.h"

#include <algorithm>

#include "app/version.h"
#include "skill/uri.h"

namespace host::app {
namespace {

template <class Names>
std::optional<Names> set_of(const std::optional<std::vector<std::string>>& names) {
  if (!names) return std::nullopt;
  return Names(names->begin(), names->end());
}

// `agent`: null for no agent.
skill::Options options_of(const config::Agent* agent, std::set<std::string> hidden) {
  skill::Options options;
  options.hidden = std::move(hidden);
  if (!agent) return options;
  options.all_faults = false;
  options.only = set_of<std::set<std::string>>(agent->skills);
  options.plugins = set_of<std::set<std::string>>(agent->plugins);
  options.repositories = set_of<std::set<std::string, std::less<>>>(agent->skill_repositories);
  return options;
}

bool differs(const config::Agent& agent) {
  return agent.skills || agent.groups || agent.skill_repositories || agent.plugins;
}

}  // namespace

skill::Options skills_of_host(const config::Config& config) {
  return options_of(nullptr, router::Groups(config.groups).hidden_skills(nullptr));
}

std::vector<skill::PluginFolder> skill_folders(const std::vector<plugin::PluginStatus>& plugins) {
  std::map<std::filesystem::path, std::vector<std::string>> by_folder;
  for (const plugin::PluginStatus& one : plugins) {
    if (one.serving) by_folder[one.path.parent_path() / "skills"].push_back(one.name);
  }
  std::vector<skill::PluginFolder> folders;
  for (auto& [folder, names] : by_folder) {
    std::sort(names.begin(), names.end());
    folders.push_back({folder, std::move(names)});
  }
  return folders;
}

AgentSkills::Own::Own(const config::Config& config,
                      std::shared_ptr<skill::Repositories> repositories, skill::Options options)
    : catalog(std::move(repositories), std::move(options)),
      provider(std::make_shared<builtin::SkillProvider>(catalog, config.skills.catalogue_bytes,
                                                        build_of_host())) {}

AgentSkills::AgentSkills(const config::Config& config,
                         std::shared_ptr<skill::Repositories> repositories, skill::Catalog& of_host,
                         tool::Catalog& tools, router::Profiles& profiles)
    : config_(config),
      repositories_(std::move(repositories)),
      of_host_(of_host),
      tools_(tools),
      profiles_(profiles),
      follower_(repositories_->follow([this] { skills_changed(); })) {
  for (const auto& [name, agent] : config.agents) {
    if (!differs(agent)) continue;
    router::Profile* const profile = profiles.find(name);
    auto own = std::make_shared<Own>(config, repositories_,
                                     options_of(&agent, profile->groups().hidden_skills(nullptr)));
    profile->set_builtin(own->provider);
    own->provider->on_change([&tools, profile] {
      profile->builtin_changed();
      tools.lists_changed({true, true, true});
    });
    tell_edits(*own);
    of_agents_.emplace(name, std::move(own));
  }
}

// What the host itself shows too is told by its own catalog.
void AgentSkills::tell_edits(Own& own) {
  own.provider->on_update([this](const std::string& uri) {
    const auto named = skill::parse_uri(uri);
    if (named && !of_host_.find(named->skill)) tools_.resource_updated(uri);
  });
}

AgentSkills::OwnPtr AgentSkills::of_session(std::string_view agent,
                                            const session::Session* session) {
  if (!session || !session->settings.groups) return nullptr;
  const router::Profile* const profile = profiles_.find(agent);
  if (!profile || !profile->groups().have_skills()) return nullptr;
  Kind kind{agent, profile->groups().hidden_skills(&*session->settings.groups)};
  if (kind.second == profile->groups().hidden_skills(nullptr)) return nullptr;
  if (const auto known = of_sessions_.find(kind); known != of_sessions_.end()) return known->second;
  if (of_sessions_.size() == kMostKinds) of_sessions_.clear();
  auto own = std::make_shared<Own>(config_, repositories_,
                                   options_of(config::agent(config_, agent), kind.second));
  own->provider->finish_reads_by(finish_);
  own->provider->on_change([this] { tools_.lists_changed({true, true, true}); });
  tell_edits(*own);
  of_sessions_.emplace(std::move(kind), own);
  return own;
}

std::shared_ptr<skill::Catalog> AgentSkills::of(std::string_view agent,
                                                const session::Session* session) {
  OwnPtr own = of_session(agent, session);
  if (!own) {
    const auto of_agent = of_agents_.find(agent);
    if (of_agent == of_agents_.end()) return {std::shared_ptr<void>(), &of_host_};
    own = of_agent->second;
  }
  return {own, &own->catalog};
}

std::shared_ptr<tool::Provider> AgentSkills::provider_of(std::string_view agent,
                                                         const session::Session& session) {
  const OwnPtr own = of_session(agent, &session);
  if (!own) return nullptr;
  return {own, own->provider.get()};
}

// Views keep what they were made with. So these are made again, after each has told what changed.
void AgentSkills::skills_changed() {
  const auto before = std::exchange(of_sessions_, {});
  for (const auto& [kind, own] : before) own->catalog.state();
}

void AgentSkills::finish_reads_by(const builtin::SkillProvider::Finish& finish) {
  finish_ = finish;
  for (const auto& [name, own] : of_agents_) own->provider->finish_reads_by(finish);
}

}  // namespace host::app
