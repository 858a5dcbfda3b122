#include "router/view/session_view.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "router/view/profiles.h"

namespace host::router {
namespace {

bool is_kept(const tool::Provider& provider, const session::Names& providers) {
  return !providers || provider.identity().is_host() ||
         std::find(providers->begin(), providers->end(), provider.name()) != providers->end();
}

}  // namespace

bool is_kept(const tool::Entry& entry, const session::Names& providers) {
  return is_kept(*entry.provider, providers) || is_run_by_the_host(*entry.tool);
}

std::shared_ptr<const tool::Snapshot> narrowed_to(const std::shared_ptr<const tool::Snapshot>& all,
                                                  const session::Names& providers) {
  if (!providers) return all;
  const auto keeps = [&providers](const tool::Provider& provider) {
    return is_kept(provider, providers);
  };
  std::vector<tool::Entry> entries;
  for (const tool::Entry& entry : all->entries()) {
    if (is_kept(entry, providers)) entries.push_back(entry);
  }
  return std::make_shared<const tool::Snapshot>(std::move(entries),
                                                all->offers().narrowed(keeps, nullptr));
}

}  // namespace host::router
