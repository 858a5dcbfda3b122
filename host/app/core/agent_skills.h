// Separate skill catalogs for agents whose skills differ from the host's, and the tool that reads
// from each. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "builtin/skill_provider.h"
#include "config/config.h"
#include "router/view/profiles.h"
#include "skill/catalog.h"
#include "tool/provider/catalog.h"

namespace host::app {

// All folders of skills, from low to high priority.
std::vector<std::unique_ptr<skill::SkillRepository>> repositories_of(const config::Skills& skills);

class AgentSkills {
 public:
  // References outlive it.
  AgentSkills(const config::Config& config, skill::Catalog& of_host, tool::Catalog& tools,
              router::Profiles& profiles);

  // The catalog of this agent. The host's catalog if the agent has the same skills.
  skill::Catalog& of(std::string_view agent);

  // As builtin::SkillProvider::finish_reads_by(), for all agents.
  void finish_reads_by(const builtin::SkillProvider::Finish& finish);

  void watch(const boost::asio::any_io_executor& executor);
  void stop_watching();

 private:
  struct Own {
    Own(const config::Config& config, const config::Agent& agent);

    skill::Catalog catalog;
    std::shared_ptr<builtin::SkillProvider> provider;
  };

  skill::Catalog& of_host_;
  std::map<std::string, std::unique_ptr<Own>, std::less<>> own_;
};

}  // namespace host::app
