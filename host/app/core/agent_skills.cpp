#include "app/core/agent_skills.h"

#include <set>
#include <vector>

#include "app/version.h"
#include "skill/folder_repository.h"
#include "skill/uri.h"

namespace host::app {
namespace {

skill::Options options_of(const config::Config& config, const config::Agent& agent) {
  skill::Options options;
  options.live = config.skills.live;
  options.all_faults = false;
  options.hidden = skill::hidden_skills(router::groups_for(config.groups, agent));
  if (agent.skills) options.only.emplace(agent.skills->begin(), agent.skills->end());
  return options;
}

}  // namespace

std::vector<std::unique_ptr<skill::SkillRepository>> repositories_of(const config::Skills& skills) {
  std::vector<std::unique_ptr<skill::SkillRepository>> repositories;
  for (const auto& folder : skills.dirs)
    repositories.push_back(std::make_unique<skill::FolderRepository>(folder));
  return repositories;
}

AgentSkills::Own::Own(const config::Config& config, const config::Agent& agent)
    : catalog(repositories_of(config.skills), options_of(config, agent)),
      provider(std::make_shared<builtin::SkillProvider>(catalog, config.skills.catalogue_bytes,
                                                        build_of_host())) {}

AgentSkills::AgentSkills(const config::Config& config, skill::Catalog& of_host,
                         tool::Catalog& tools, router::Profiles& profiles)
    : of_host_(of_host) {
  for (const auto& [name, agent] : config.agents) {
    if (!agent.skills && !agent.groups) continue;
    auto own = std::make_unique<Own>(config, agent);
    router::Profile* const profile = profiles.find(name);
    profile->set_builtin(own->provider);
    own->provider->on_change([&tools, profile] {
      profile->builtin_changed();
      tools.lists_changed({true, true, true});
    });
    // What the host itself shows too is told by its own catalog.
    own->provider->on_update([&tools, &of_host](const std::string& uri) {
      const auto named = skill::parse_uri(uri);
      if (named && !of_host.find(named->skill)) tools.resource_updated(uri);
    });
    own_.emplace(name, std::move(own));
  }
}

skill::Catalog& AgentSkills::of(std::string_view agent) {
  const auto own = own_.find(agent);
  return own == own_.end() ? of_host_ : own->second->catalog;
}

void AgentSkills::finish_reads_by(const builtin::SkillProvider::Finish& finish) {
  for (const auto& [name, own] : own_) own->provider->finish_reads_by(finish);
}

void AgentSkills::watch(const boost::asio::any_io_executor& executor) {
  for (const auto& [name, own] : own_) own->catalog.watch(executor);
}

void AgentSkills::stop_watching() {
  for (const auto& [name, own] : own_) own->catalog.stop_watching();
}

}  // namespace host::app
