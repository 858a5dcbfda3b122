#include "router/toolkit/skill_groups.h"

#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <utility>

#include "router/toolkit/activate_groups.h"
#include "router/toolkit/own_answer.h"

namespace host::router {
namespace {

bool sees_skill(const config::Agent* agent, const std::string& skill) {
  return !agent || !agent->skills ||
         std::find(agent->skills->begin(), agent->skills->end(), skill) != agent->skills->end();
}

bool has_skills(const config::Config& config, const config::Agent* agent,
                const std::string& group) {
  return std::any_of(config.groups.begin(), config.groups.end(), [&](const config::Group& one) {
    return one.name == group &&
           std::any_of(one.skills.begin(), one.skills.end(),
                       [agent](const std::string& skill) { return sees_skill(agent, skill); });
  });
}

// A model would look in vain for the tools that only other agents see.
bool has_tools(Views& views, const Router& router, const tool::Peer& who,
               const std::string& group) {
  const auto view = views.of(who);
  if (!view) return false;
  const auto& entries = view->snapshot->entries();
  return std::any_of(entries.begin(), entries.end(), [&](const tool::Entry& entry) {
    const auto groups = view->profile->groups().switchable_of(entry);
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) return false;
    const Router::Sight sight = router.sight_of(*view, who, entry);
    return sight.shown || !sight.group.empty();
  });
}

boost::asio::awaitable<void> activate_for_skill(std::shared_ptr<session::Sessions> sessions,
                                                const config::Config& config, Views& views,
                                                const Router& router,
                                                std::shared_ptr<tool::Invocation> invocation,
                                                std::vector<std::string> groups,
                                                tool::CallResult read) {
  const tool::Peer& who = invocation->passport->who;
  IsTold is_told = [&](const std::string& group) {
    return has_skills(config, config::agent(config, who.agent), group) ||
           has_tools(views, router, who, group);
  };
  const auto about = co_await activate_groups(std::move(sessions), who.session, std::move(groups),
                                              config, std::move(is_told));
  if (!about) {
    read.add_text("The tool groups of this skill were not activated: " + about.error().message);
  } else if (!about->empty()) {
    read.add_text(instructions_block(*about).substr(1));
  }
  invocation->finish(std::move(read));
}

}  // namespace

void finish_skill_read(const boost::asio::any_io_executor& io,
                       std::shared_ptr<session::Sessions> sessions, const config::Config& config,
                       Views& views, const Router& router,
                       const std::shared_ptr<tool::Invocation>& invocation,
                       std::vector<std::string> groups, tool::CallResult read) {
  if (groups.empty() || invocation->passport->who.session.empty())
    return static_cast<void>(invocation->finish(std::move(read)));
  run_own(io, invocation, "activates the groups of a skill",
          activate_for_skill(std::move(sessions), config, views, router, invocation,
                             std::move(groups), std::move(read)));
}

}  // namespace host::router
