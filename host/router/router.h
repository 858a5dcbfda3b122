// Which tools a peer may see, and where a name leads. The same rule serves tools/list and
// tools/call: what a peer may not call it does not see. I/O thread only.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "router/groups.h"
#include "router/route.h"
#include "tool/call.h"
#include "tool/catalog.h"

namespace host::permission {
class Engine;
}

namespace host::router {

class Router {
 public:
  // `engine` is replaced as a whole when rules change.
  Router(const tool::Catalog& catalog, const std::shared_ptr<const permission::Engine>& engine,
         const std::vector<config::Group>& groups)
      : catalog_(catalog), engine_(engine), groups_(groups) {}

  // What tools/list shows to a peer, in name order. The entries live as long as the snapshot.
  struct Listing {
    std::shared_ptr<const tool::Snapshot> snapshot;
    std::vector<const tool::Entry*> tools;
  };
  Listing visible(const std::string& principal) const;

  // NotFound for what does not exist and for what the caller may not see, in the same words.
  Result<Route> resolve(const tool::Call& call) const;

 private:
  bool is_shown(const tool::Tool& tool, const std::string& principal) const;
  bool may_call(const tool::Call& call, const tool::Tool& tool) const;

  const tool::Catalog& catalog_;
  const std::shared_ptr<const permission::Engine>& engine_;
  const Groups groups_;
};

}  // namespace host::router
