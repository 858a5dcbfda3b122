// Which tools a peer may see, and where a name leads. The same rule serves tools/list and
// tools/call: what a peer may not call it does not see. I/O thread only.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "router/profiles.h"
#include "router/route.h"
#include "tool/call.h"
#include "tool/catalog.h"
#include "tool/peer.h"

namespace host::permission {
struct Rulebook;
}

namespace host::router {

class Router {
 public:
  // `rules` are replaced as a whole when they change.
  Router(const Profiles& profiles, const std::shared_ptr<const permission::Rulebook>& rules)
      : profiles_(profiles), rules_(rules) {}

  // What tools/list shows to a peer, in name order. The entries live as long as the snapshot.
  struct Listing {
    std::shared_ptr<const tool::Snapshot> snapshot;
    std::vector<const tool::Entry*> tools;
  };
  Listing visible(const tool::Peer& peer) const;

  // NotFound for what does not exist and for what the caller may not see, in the same words.
  Result<Route> resolve(const tool::Call& call) const;

 private:
  static bool is_shown(const Profile& profile, const tool::Tool& tool,
                       const std::string& principal);
  static bool may_call(const Profile& profile, const tool::Call& call, const tool::Tool& tool);

  const Profiles& profiles_;
  const std::shared_ptr<const permission::Rulebook>& rules_;
};

}  // namespace host::router
