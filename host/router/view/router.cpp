#include "router/view/router.h"

#include <algorithm>
#include <utility>

#include "identity/scopes.h"
#include "permission/decision/rulebook.h"
#include "router/view/preset_tools.h"
#include "router/view/session_view.h"

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

// As its provider offers it; null: it does not.
const tool::Tool* tool_of(const tool::Provider& provider, std::string_view name) {
  const auto& tools = provider.tools();
  const auto found = std::find_if(tools.begin(), tools.end(),
                                  [&](const auto& each) { return each->name() == name; });
  return found == tools.end() ? nullptr : found->get();
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
  listing.tools = views_.tools_to_check(*view);
  std::erase_if(listing.tools, [&](const tool::Entry* entry) {
    return !is_shown(*view, *entry, peer.principal) ||
           rules_->denial_by_name(entry->tool->name(), {peer.principal, peer.agent, peer.session});
  });
  return listing;
}

Router::Sight Router::sight_of(const View& view, const tool::Peer& who,
                               const tool::Entry& entry) const {
  if (!is_for_peers(entry.tool->tool_class(), who.principal)) return {};
  if (rules_->denial_by_name(entry.tool->name(), {who.principal, who.agent, who.session}))
    return {};
  if (view.offers(entry)) return {true, {}};
  if (!view.session) return {};
  const auto groups = view.profile->groups().switchable_of(entry);
  return {false, groups.empty() ? std::string() : groups.front()};
}

bool Router::can_switch_groups(const View& view, const tool::Peer& who) const {
  const tool::Entry* const meta_tool = view.snapshot->find("reset_tools");
  return meta_tool && sight_of(view, who, *meta_tool).shown;
}

std::optional<tool::CallResult> Router::in_inactive_group(tool::Call& call) const {
  const tool::Peer& who = call.passport->who;
  const auto view = views_.of(who);
  const tool::Entry* const entry = view ? view->snapshot->find(call.name) : nullptr;
  const Sight sight = entry ? sight_of(*view, who, *entry) : Sight();
  if (sight.shown || sight.group.empty()) return std::nullopt;
  call.outcome = "inactive_group";
  return tool::CallResult::error(
      "\"" + call.name + "\" is in the tool group \"" + sight.group +
      "\", which is not active in this session. " +
      (can_switch_groups(*view, who)
           ? "Activate the group with reset_tools, then call again."
           : "Whoever made the session can activate it: PATCH /v1/sessions/SESSION."));
}

std::vector<std::string> Router::active_groups(const tool::Peer& peer) const {
  const auto view = views_.of(peer);
  return view ? view->active_groups() : std::vector<std::string>();
}

bool Router::still_offers(const tool::Call& call, const Route& route) const {
  const tool::Passport& by = *call.passport;
  const auto view = views_.of(by.who);
  if (!view) return false;
  const tool::ProviderIdentity& identity = route.provider->identity();
  // A side file or the configuration may have removed the tool since.
  const tool::Entry* const now = view->snapshot->find(route.tool->name());
  if (!now && !identity.is_host()) return false;
  if (!view->session) return true;
  if (identity.is_session()) {
    return now && now->provider->identity().is_session() &&
           now->tool->digest() == route.tool->digest() &&
           may_call(*view, by.who.principal, by.origin, *now);
  }
  if (identity.is_host()) return true;
  const tool::Entry entry{route.tool, route.provider};
  if (view->session->settings.presets) {  // those of now hold, whatever it was resolved with
    const Presets presets = presets_in(*view->session->settings.presets);
    const auto own = presets.find(route.tool->name());
    const tool::Entry* const of_agent = view->profile->snapshot()->find(route.tool->name());
    if (own != presets.end() && !has_presets(*route.tool, own->second,
                                             {tool_of(*route.provider, route.tool->name()),
                                              of_agent ? of_agent->tool.get() : nullptr}))
      return false;
  }
  return is_kept(entry, view->session->settings.mcp_providers) &&
         may_call(*view, by.who.principal, by.origin, entry);
}

Result<Route> Router::take_route(tool::Call& call) const {
  if (call.route) return std::exchange(call.route, {});
  return resolve(call.passport->who, call.name, call.passport->origin);
}

Error unknown_tool(std::string_view name, std::string_view list) {
  return {ErrorKind::NotFound,
          "unknown tool \"" + std::string(name.substr(0, 80)) + "\": " + std::string(list)};
}

Result<Route> Router::resolve(const tool::Peer& who, const std::string& name,
                              tool::Origin origin) const {
  const auto view = views_.of(who);
  const tool::Entry* const entry = view ? view->snapshot->find(name) : nullptr;
  if (!entry || !may_call(*view, who.principal, origin, *entry)) {
    return unknown_tool(name, "tools/list lists the tools");
  }
  return Route{entry->tool, entry->provider, view->snapshot};
}

}  // namespace host::router
