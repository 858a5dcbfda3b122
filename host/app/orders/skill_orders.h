// Pulls and accepts skills of Git repositories for `toolpost skills pull` and `toolpost skills
// accept`. Both commands write a request for the running host (PluginOrder) into the store.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <string>

#include "base/result.h"
#include "checkout/checkouts.h"
#include "store/part/host_store.h"

namespace host::app {

// kSkillPull is a command's request to pull a repository. For kSkillPull, PluginOrder::plugin is
// the name of the repository. The host answers kSkillPull with the status of the repository.
inline constexpr const char* kSkillPull = "skill-pull";
// kSkillAccept is a command's request to accept skills. PluginOrder::plugin is "NAME DIGEST" for
// all waiting skills of the repository NAME, or "NAME/SKILL DIGEST" for one skill.
inline constexpr const char* kSkillAccept = "skill-accept";

bool is_skill_order(const store::PluginOrder& order);
boost::asio::awaitable<Result<std::string>> answer_skill_order(checkout::Checkouts& checkouts,
                                                               store::PluginOrder order);

}  // namespace host::app
