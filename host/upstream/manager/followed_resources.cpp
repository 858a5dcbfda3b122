#include "upstream/manager/followed_resources.h"

#include <utility>

#include "tool/provider/priority.h"

namespace host::upstream {

FollowedResources::FollowedResources(tool::Catalog& catalog, std::function<void(const Uris&)> tell)
    : catalog_(catalog), tell_(std::move(tell)) {
  catalog.on_change([this, weak = std::weak_ptr(alive_)](const tool::Changes& changes) {
    if (changes.resources && !weak.expired()) sort();
  });
}

void FollowedResources::set(const Uris& uris) {
  all_ = uris;
  sort();
}

void FollowedResources::sort() {
  const auto snapshot = catalog_.snapshot();
  Uris now;
  for (const std::string& uri : all_) {
    if (!tool::is_kept_from_upstreams(snapshot->offers(), uri)) now.insert(uri);
  }
  if (now == for_upstreams_) return;
  for_upstreams_ = std::move(now);
  tell_(for_upstreams_);
}

}  // namespace host::upstream
