// The class AgentSkills determines which skills a caller can use. Most callers share the host's
// list of skills. An agent has a separate list of skills if its skills differ from the host's
// skills. A session has a separate list of skills if it has activated or deactivated groups that
// have skills. The tool that reads skills uses the list of its caller. Call the functions of this
// header on the I/O thread.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "builtin/skill_provider.h"
#include "config/config.h"
#include "plugin/lifecycle/status.h"
#include "router/view/profiles.h"
#include "session/session.h"
#include "skill/catalog.h"
#include "tool/provider/catalog.h"

namespace host::app {

// Returns the default skills: those for a caller without an agent, in a session that has not
// changed its active groups.
skill::Options skills_of_host(const config::Config& config);

// Returns the folders with the name `skills` next to the libraries of the plugins that are in use.
std::vector<skill::PluginFolder> skill_folders(const std::vector<plugin::PluginStatus>& plugins);

class AgentSkills {
 public:
  // Objects that are passed by reference must outlive the AgentSkills.
  AgentSkills(const config::Config& config, std::shared_ptr<skill::Repositories> repositories,
              skill::Catalog& of_host, tool::Catalog& tools, router::Profiles& profiles);

  // Returns the catalog of skills for callers with the agent `agent` (empty: no agent) in the
  // session `session` (null: no session).
  std::shared_ptr<skill::Catalog> of(std::string_view agent, const session::Session* session);
  // Returns the provider of the session's skills, or null if the session has the same skills as its
  // agent.
  std::shared_ptr<tool::Provider> provider_of(std::string_view agent,
                                              const session::Session& session);

  // Sets the function that must end each successful call of the tool `Skill`, see
  // SkillProvider::Finish.
  void finish_reads_by(const builtin::SkillProvider::Finish& finish);

 private:
  struct Own {
    Own(const config::Config& config, std::shared_ptr<skill::Repositories> repositories,
        skill::Options options);

    skill::Catalog catalog;
    const std::shared_ptr<builtin::SkillProvider> provider;
  };
  using OwnPtr = std::shared_ptr<Own>;
  // A Kind is the name of an agent, and the names of the skills that inactive groups hide.
  using Kind = std::pair<std::string, std::set<std::string>>;
  // Sessions of one agent share a list of skills if the same skills are hidden from them.
  static constexpr std::size_t kMostKinds = 64;

  OwnPtr of_session(std::string_view agent, const session::Session* session);
  void tell_edits(Own& own);
  void skills_changed();

  const config::Config& config_;
  const std::shared_ptr<skill::Repositories> repositories_;
  skill::Catalog& of_host_;
  tool::Catalog& tools_;
  router::Profiles& profiles_;
  builtin::SkillProvider::Finish finish_;
  std::map<std::string, OwnPtr, std::less<>> of_agents_;
  std::map<Kind, OwnPtr> of_sessions_;
  const skill::Repositories::Follower follower_;
};

}  // namespace host::app
