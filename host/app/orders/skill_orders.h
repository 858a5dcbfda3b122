// Executes orders about Git repositories of skills. An order is a request that a `toolpost` command
// stores for a running host. The store has one table for all orders.
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
