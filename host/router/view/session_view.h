// Restricts a snapshot of the catalog to the providers that one session chose.
#pragma once

#include <memory>

#include "session/session.h"
#include "tool/provider/catalog.h"

namespace host::router {

// Returns the snapshot with only the tools, resources and prompts of `providers`. The result keeps
// the tools of the host itself. The result also keeps post_ and internal tools, because the host
// itself calls these tools. If `providers` is nullopt, the session chose all providers.
std::shared_ptr<const tool::Snapshot> narrowed_to(const std::shared_ptr<const tool::Snapshot>& all,
                                                  const session::Names& providers);

// Returns false if narrowed_to() leaves the tool out.
bool is_kept(const tool::Entry& entry, const session::Names& providers);

}  // namespace host::router
