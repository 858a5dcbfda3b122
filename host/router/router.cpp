#include "router/router.h"

#include "identity/scopes.h"
#include "permission/engine.h"

namespace host::router {
namespace {

// Which classes tools/list shows to whom. Only who is known has one-time codes; post_ and internal
// tools are never a peer's to call.
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

bool Router::is_shown(const tool::Tool& tool, const std::string& principal) const {
  return is_for_peers(tool.tool_class(), principal) && groups_.offers(tool);
}

bool Router::may_call(const tool::Call& call, const tool::Tool& tool) const {
  if (call.origin == tool::Origin::Peer) return is_shown(tool, call.principal);
  if (tool.tool_class() == tool::Class::Private) return false;  // no person is there
  if (call.origin != tool::Origin::Plugin) return true;
  return tool.tool_class() == tool::Class::Internal || is_shown(tool, call.principal);
}

Router::Listing Router::visible(const std::string& principal) const {
  Listing listing{catalog_.snapshot(), {}};
  listing.tools.reserve(listing.snapshot->entries().size());
  for (const tool::Entry& entry : listing.snapshot->entries()) {
    if (is_shown(*entry.tool, principal) && !engine_->denied_by_name(entry.tool->name())) {
      listing.tools.push_back(&entry);
    }
  }
  return listing;
}

Result<Route> Router::resolve(const tool::Call& call) const {
  const auto& snapshot = catalog_.snapshot();
  const tool::Entry* entry = snapshot->find(call.name);
  if (!entry || !may_call(call, *entry->tool)) {
    return Error{ErrorKind::NotFound, "unknown tool \"" + call.name.substr(0, 80) +
                                          "\": tools/list names what there is"};
  }
  return Route{entry->tool, entry->provider, snapshot};
}

}  // namespace host::router
