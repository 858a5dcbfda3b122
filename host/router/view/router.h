// The router decides which tools a client can see, and finds the provider of a tool by the tool's
// name. tools/list and tools/call use the same rule, so a client cannot call a tool that it cannot
// see. The functions of this header are called on the I/O thread.
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

// The Error for a tool that does not exist or that is hidden from the caller. `list` is a text for
// the Error that says where the caller finds the tools, like "tools/list lists the tools".
Error unknown_tool(std::string_view name, std::string_view list);

class Router {
 public:
  // The router keeps a reference to the pointer `rules`, because the host sets this pointer to a
  // new rulebook when rules change.
  Router(Views& views, const std::shared_ptr<const permission::Rulebook>& rules)
      : views_(views), rules_(rules) {}

  // The tools that tools/list shows to a client, ordered by name. The entries are valid as long as
  // the snapshot exists.
  struct Listing {
    std::shared_ptr<const tool::Snapshot> snapshot;
    std::vector<const tool::Entry*> tools;
  };
  Listing visible(const tool::Peer& peer) const;

  // Returns the groups that are active for a client, sorted. The result is empty if the client's
  // agent or session does not exist.
  std::vector<std::string> active_groups(const tool::Peer& peer) const;

  // Returns the Error NotFound if the tool does not exist or is hidden from the caller. The Error
  // has the same message for a missing tool and for a hidden tool.
  Result<Route> resolve(const tool::Peer& who, const std::string& name,
                        tool::Origin origin = tool::Origin::Peer) const;
  // Says whether a client can see a tool, or could see it if the client activated a group.
  struct Sight {
    bool shown = false;
    std::string group;  // A group of the tool that the session may activate to see the tool.
                        // Empty if the client can see the tool, or if no group would show it.
  };
  Sight sight_of(const View& view, const tool::Peer& who, const tool::Entry& entry) const;

  // Returns true if the client's session has groups, and the client may switch them with
  // reset_tools.
  bool can_switch_groups(const View& view, const tool::Peer& who) const;

  // If the tool is hidden only because its group is inactive, and the session may activate the
  // group, returns the result of the call, which names the inactive group. Otherwise, returns
  // nullopt.
  std::optional<tool::CallResult> in_inactive_group(tool::Call& call) const;
  // Call still_offers() if a call had to wait after its tool was found. Returns false if the call's
  // session does not offer the tool any more, or if the session's client has changed the tool's
  // definition. still_offers() ignores new builds of the tool's plugin, because the call keeps the
  // build of its route.
  bool still_offers(const tool::Call& call, const Route& route) const;
  // If the call already has a route, the function moves the route out of the call and returns it.
  // If the call has no route, the function calls resolve().
  Result<Route> take_route(tool::Call& call) const;

 private:
  static bool is_shown(const View& view, const tool::Entry& entry, const std::string& principal);
  static bool may_call(const View& view, const std::string& principal, tool::Origin origin,
                       const tool::Entry& entry);

  Views& views_;
  const std::shared_ptr<const permission::Rulebook>& rules_;
};

}  // namespace host::router
