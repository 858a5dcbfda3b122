#include "router/router.h"

#include "permission/engine.h"

namespace host::router {
namespace {

// Which classes tools/list shows. priv_ tools stay hidden until a person's one-time code can be
// checked; post_ and internal ones are never a peer's to call.
bool is_for_peers(tool::Class tool_class) {
  return tool_class == tool::Class::Standard || tool_class == tool::Class::Pre ||
         tool_class == tool::Class::Upstream;
}

}  // namespace

bool Router::is_shown(const tool::Tool& tool) const {
  return is_for_peers(tool.tool_class()) && groups_.offers(tool);
}

bool Router::may_call(const tool::Call& call, const tool::Tool& tool) const {
  if (call.origin == tool::Origin::Peer) return is_shown(tool);
  if (call.origin == tool::Origin::Plugin) {
    return tool.tool_class() == tool::Class::Internal || is_shown(tool);
  }
  return tool.tool_class() != tool::Class::Private;
}

Router::Listing Router::visible() const {
  Listing listing{catalog_.snapshot(), {}};
  listing.tools.reserve(listing.snapshot->entries().size());
  for (const tool::Entry& entry : listing.snapshot->entries()) {
    if (is_shown(*entry.tool) && !engine_->denied_by_name(entry.tool->name())) {
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
