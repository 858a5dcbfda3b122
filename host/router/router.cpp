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

bool Router::is_shown(const View& view, const tool::Entry& entry, const std::string& principal) {
  return is_for_peers(entry.tool->tool_class(), principal) && view.offers(entry);
}

bool Router::may_call(const View& view, const std::string& principal, tool::Origin origin,
                      const tool::Entry& entry) {
  const tool::Class tool_class = entry.tool->tool_class();
  if (origin == tool::Origin::Peer) return is_shown(view, entry, principal);
  if (tool_class == tool::Class::Private) return false;  // there is no user
  if (origin != tool::Origin::Plugin) return true;
  return tool_class == tool::Class::Internal || is_shown(view, entry, principal);
}

Router::Listing Router::visible(const tool::Peer& peer) const {
  const auto view = views_.of(peer);
  if (!view) return {};
  Listing listing{view->snapshot, {}};
  listing.tools.reserve(listing.snapshot->entries().size());
  for (const tool::Entry& entry : listing.snapshot->entries()) {
    if (is_shown(*view, entry, peer.principal) &&
        !rules_->denial_by_name(entry.tool->name(), {peer.principal, peer.agent, peer.session})) {
      listing.tools.push_back(&entry);
    }
  }
  return listing;
}

std::optional<tool::CallResult> Router::in_inactive_group(tool::Call& call) const {
  const tool::Peer& who = call.passport->who;
  const auto view = views_.of(who);
  const tool::Entry* const entry = view ? view->snapshot->find(call.name) : nullptr;
  if (!entry || !view->session) return std::nullopt;
  if (!is_for_peers(entry->tool->tool_class(), who.principal) || view->offers(*entry))
    return std::nullopt;
  if (rules_->denial_by_name(call.name, {who.principal, who.agent, who.session}))
    return std::nullopt;
  const auto groups = view->profile->groups().switchable_of(*entry->tool);
  if (groups.empty()) return std::nullopt;
  call.outcome = "inactive_group";
  return tool::CallResult::error("\"" + call.name + "\" is in the tool group \"" + groups.front() +
                                 "\", which is not active in this session. Activate the group with "
                                 "reset_tools, then call again.");
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
  if (!entry || !may_call(*view, who.principal, origin, *entry)) {
    return Error{ErrorKind::NotFound,
                 "unknown tool \"" + name.substr(0, 80) + "\": tools/list names what there is"};
  }
  return Route{entry->tool, entry->provider, view->snapshot};
}

}  // namespace host::router
