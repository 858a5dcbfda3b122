// Which tools a peer may see, and where a name leads. The same rule serves tools/list and tools/call:
// what a peer may not call it does not see. I/O thread only.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "router/route.h"
#include "tool/call.h"
#include "tool/catalog.h"

namespace host::permission {
class Engine;
}

namespace host::router {

class Router {
 public:
  Router(const tool::Catalog& catalog, const std::shared_ptr<const permission::Engine>& engine)
      : catalog_(catalog), engine_(engine) {}

  // What tools/list shows to a peer, in name order. The entries live as long as the snapshot.
  struct Listing {
    std::shared_ptr<const tool::Snapshot> snapshot;
    std::vector<const tool::Entry*> tools;
  };
  Listing visible() const;

  // NotFound for what does not exist and for what the caller may not see, in the same words.
  Result<Route> resolve(const tool::Call& call) const;

 private:
  bool may_call(const tool::Call& call, const tool::Entry& entry) const;

  const tool::Catalog& catalog_;
  const std::shared_ptr<const permission::Engine>& engine_;  // replaced as a whole when rules change
};

}  // namespace host::router
