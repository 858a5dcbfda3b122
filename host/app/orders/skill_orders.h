// Executes orders of the command line about Git repositories of skills. These orders are stored in
// the same table as orders about plugins.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <string>

#include "base/result.h"
#include "checkout/checkouts.h"
#include "store/part/host_store.h"

namespace host::app {

// PluginOrder::plugin is "NAME". Answer: the status of the repository.
inline constexpr const char* kSkillPull = "skill-pull";
// PluginOrder::plugin is "NAME DIGEST" for all waiting skills, or "NAME/SKILL DIGEST" for one.
inline constexpr const char* kSkillAccept = "skill-accept";

bool is_skill_order(const store::PluginOrder& order);
boost::asio::awaitable<Result<std::string>> answer_skill_order(checkout::Checkouts& checkouts,
                                                               store::PluginOrder order);

}  // namespace host::app
