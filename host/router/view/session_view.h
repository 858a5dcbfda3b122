// Restricts a snapshot of the catalog to the providers that one session chose.
#pragma once

#include <memory>

#include "session/session.h"
#include "tool/provider/catalog.h"

namespace host::router {

// Returns the snapshot with only the tools, resources and prompts of `providers`. narrowed_to()
// also keeps the tools of the host itself, and the post_ and internal tools, because the host calls
// these tools. If `providers` is nullopt, the session chose all providers.
std::shared_ptr<const tool::Snapshot> narrowed_to(const std::shared_ptr<const tool::Snapshot>& all,
                                                  const session::Names& providers);

// Returns false if narrowed_to() removes the tool of `entry`.
bool is_kept(const tool::Entry& entry, const session::Names& providers);

}  // namespace host::router
