// Decides which tools a client can see, and finds the provider of a name. tools/list and tools/call
// use the same rule: a client cannot see a tool that it may not call. I/O thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "router/view/route.h"
#include "router/view/views.h"
#include "tool/call/call.h"
#include "tool/call/peer.h"
#include "tool/provider/catalog.h"

namespace host::permission {
struct Rulebook;
}

namespace host::router {

class Router {
 public:
  // When rules change, the owner of the pointer `rules` sets it to a new rulebook. So the router
  // keeps a reference to the pointer.
  Router(Views& views, const std::shared_ptr<const permission::Rulebook>& rules)
      : views_(views), rules_(rules) {}

  // The tools that tools/list shows to a client, ordered by name. The entries live as long as the
  // snapshot.
  struct Listing {
    std::shared_ptr<const tool::Snapshot> snapshot;
    std::vector<const tool::Entry*> tools;
  };
  Listing visible(const tool::Peer& peer) const;

  // The groups that are active for a client, sorted. None if its agent or session does not exist.
  std::vector<std::string> active_groups(const tool::Peer& peer) const;

  // NotFound, in the same words, if the tool does not exist or the caller may not see it.
  Result<Route> resolve(const tool::Peer& who, const std::string& name,
                        tool::Origin origin = tool::Origin::Peer) const;
  // How a tool looks to a client.
  struct Sight {
    bool shown = false;
    std::string group;  // not shown: an inactive group of the tool that the session may activate
  };
  Sight sight_of(const View& view, const tool::Peer& who, const tool::Entry& entry) const;

  // If the tool is hidden only because its group is inactive, and the session may activate the
  // group, the call ends with the returned result, which says so. Otherwise nullopt.
  std::optional<tool::CallResult> in_inactive_group(tool::Call& call) const;
  // For a call that was resolved earlier and had to wait since. False: its session does not offer
  // the tool any more, or the session's client has changed the definition. A plugin that was
  // loaded again changes nothing: the call keeps the build of its route.
  bool still_offers(const tool::Call& call, const Route& route) const;
  // Takes the route out of the call if it has one, otherwise resolve().
  Result<Route> take_route(tool::Call& call) const;

 private:
  static bool is_shown(const View& view, const tool::Entry& entry, const std::string& principal);
  static bool may_call(const View& view, const std::string& principal, tool::Origin origin,
                       const tool::Entry& entry);

  Views& views_;
  const std::shared_ptr<const permission::Rulebook>& rules_;
};

}  // namespace host::router
