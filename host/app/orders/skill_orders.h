// Pulls and accepts skills of Git repositories for `toolpost skills pull` and `toolpost skills
// accept`. Each of the two commands stores an order for the running host. The orders of all
// commands are in one table of the store.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <string>

#include "base/result.h"
#include "checkout/checkouts.h"
#include "store/part/host_store.h"

namespace host::app {

// The name of the order to pull a repository. In an order to pull, PluginOrder::plugin is the name
// of the repository. The host's answer to the order is the status of the repository.
inline constexpr const char* kSkillPull = "skill-pull";
// The name of the order to accept skills. In an order to accept skills, PluginOrder::plugin is
// "NAME DIGEST" for all waiting skills of the repository NAME, or "NAME/SKILL DIGEST" for one
// skill.
inline constexpr const char* kSkillAccept = "skill-accept";

bool is_skill_order(const store::PluginOrder& order);
boost::asio::awaitable<Result<std::string>> answer_skill_order(checkout::Checkouts& checkouts,
                                                               store::PluginOrder order);

}  // namespace host::app
