#include "router/view/session_view.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "router/view/profiles.h"

namespace host::router {
std::shared_ptr<const tool::Snapshot> narrowed_to(const std::shared_ptr<const tool::Snapshot>& all,
                                                  const session::Names& providers) {
  if (!providers) return all;
  const auto keeps = [&providers](const tool::Provider& provider) {
    return provider.identity().is_host() ||
           std::find(providers->begin(), providers->end(), provider.name()) != providers->end();
  };
  std::vector<tool::Entry> entries;
  for (const tool::Entry& entry : all->entries()) {
    if (keeps(*entry.provider) || is_run_by_the_host(*entry.tool)) entries.push_back(entry);
  }
  return std::make_shared<const tool::Snapshot>(std::move(entries),
                                                all->offers().narrowed(keeps, nullptr));
}

}  // namespace host::router
