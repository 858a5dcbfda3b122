// The skills of agents that do not have the same as the host: a catalog of their own, and the tool
// that reads from it. I/O thread only.
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
#include "tool/catalog.h"

namespace host::app {

// All folders of skills, from low to high priority.
std::vector<std::unique_ptr<skill::SkillRepository>> repositories_of(const config::Skills& skills);

class AgentSkills {
 public:
  // References outlive it.
  AgentSkills(const config::Config& config, skill::Catalog& of_host, tool::Catalog& tools,
              router::Profiles& profiles);

  // What this agent has; the host's own where that is the same.
  skill::Catalog& of(std::string_view agent);

  // See builtin::SkillProvider; of all agents.
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
