// What one session sees of its agent's tools, and its own.
#pragma once

#include <memory>

#include "session/session.h"
#include "tool/catalog.h"

namespace host::router {

// Without the tools, resources and prompts of providers that are not in `providers`. The host's own
// stay, and so do tools that the host runs itself, post_ and internal ones. nullopt: all of it.
std::shared_ptr<const tool::Snapshot> narrowed_to(const std::shared_ptr<const tool::Snapshot>& all,
                                                  const session::Names& providers);

}  // namespace host::router
