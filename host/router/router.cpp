#include "router/router.h"

#include <utility>

#include "identity/scopes.h"
#include "permission/decision/rulebook.h"

namespace host::router {
namespace {

// The classes of tools that tools/list shows. Only known principals have one-time codes, so only
// they see priv_ tools. Clients can never call post_ and internal tools.
bool is_for_peers(tool::Class tool_class, const std::string& principal) {
  switch (tool_class) {
    case tool::Class::Standard:
    case tool::Class::Pre:
    case tool::Class::Upstream:
      return true;
    case tool::Class::Private:
      return principal != identity::kLocal;
    default:
      return false;
  }
}

}  // namespace

bool Router::is_shown(const View& view, const tool::Tool& tool, const std::string& principal) {
  return is_for_peers(tool.tool_class(), principal) && view.offers(tool);
}

bool Router::may_call(const View& view, const std::string& principal, tool::Origin origin,
                      const tool::Tool& tool) {
  if (origin == tool::Origin::Peer) return is_shown(view, tool, principal);
  if (tool.tool_class() == tool::Class::Private) return false;  // there is no user
  if (origin != tool::Origin::Plugin) return true;
  return tool.tool_class() == tool::Class::Internal || is_shown(view, tool, principal);
}

Router::Listing Router::visible(const tool::Peer& peer) const {
  const auto view = views_.of(peer);
  if (!view) return {};
  Listing listing{view->snapshot, {}};
  listing.tools.reserve(listing.snapshot->entries().size());
  for (const tool::Entry& entry : listing.snapshot->entries()) {
    if (is_shown(*view, *entry.tool, peer.principal) &&
        !rules_->denial_by_name(entry.tool->name(), {peer.principal, peer.agent, peer.session})) {
      listing.tools.push_back(&entry);
    }
  }
  return listing;
}

std::vector<std::string> Router::active_groups(const tool::Peer& peer) const {
  const auto view = views_.of(peer);
  return view ? view->active_groups() : std::vector<std::string>();
}

Result<Route> Router::take_route(tool::Call& call) const {
  if (call.route) return std::exchange(call.route, {});
  return resolve(call.passport->who, call.name, call.passport->origin);
}

Result<Route> Router::resolve(const tool::Peer& who, const std::string& name,
                              tool::Origin origin) const {
  const auto view = views_.of(who);
  const tool::Entry* const entry = view ? view->snapshot->find(name) : nullptr;
  if (!entry || !may_call(*view, who.principal, origin, *entry->tool)) {
    return Error{ErrorKind::NotFound,
                 "unknown tool \"" + name.substr(0, 80) + "\": tools/list names what there is"};
  }
  return Route{entry->tool, entry->provider, view->snapshot};
}

}  // namespace host::router
