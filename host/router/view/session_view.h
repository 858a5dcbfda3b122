// The tools that one session can see: those of its agent, and those of its client.
#pragma once

#include <memory>

#include "session/session.h"
#include "tool/provider/catalog.h"

namespace host::router {

// The snapshot with only the tools, resources and prompts of `providers`. The host's own tools
// stay, and so do post_ and internal tools, which the host calls itself. `providers` nullopt: all
// providers.
std::shared_ptr<const tool::Snapshot> narrowed_to(const std::shared_ptr<const tool::Snapshot>& all,
                                                  const session::Names& providers);

// False: narrowed_to() drops the tool.
bool is_kept(const tool::Entry& entry, const session::Names& providers);

}  // namespace host::router
