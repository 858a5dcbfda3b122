// FollowedResources contains the resources to which clients are subscribed, except those that the
// host or a plugin serves. No upstream gets the URIs of resources that the host or a plugin serves.
// The functions of FollowedResources are called on the I/O thread.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "tool/provider/catalog.h"

namespace host::upstream {

class FollowedResources {
 public:
  using Uris = std::set<std::string>;

  // `tell` is called when the result of for_upstreams() has changed. `catalog` must outlive the
  // FollowedResources object.
  FollowedResources(tool::Catalog& catalog, std::function<void(const Uris&)> tell);

  // Sets the URIs of all resources to which clients are subscribed, from all providers.
  void set(const Uris& uris);
  const Uris& for_upstreams() const { return for_upstreams_; }

 private:
  void sort();

  const tool::Catalog& catalog_;
  const std::function<void(const Uris&)> tell_;
  Uris all_;
  Uris for_upstreams_;
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace host::upstream
