#include "app/serve/tool_service.h"

namespace host::app {

ToolService::Listing ToolService::list(const tool::Peer& peer) const {
  const router::Router::Listing visible = core_.router().visible(peer);
  Listing listing{visible.snapshot, {}};
  listing.tools.reserve(visible.tools.size());
  for (const tool::Entry* entry : visible.tools) listing.tools.push_back(entry->tool.get());
  return listing;
}

tool::Route ToolService::find(const tool::Peer& peer, const std::string& name) const {
  auto route = core_.router().resolve(peer, name);
  return route ? *std::move(route) : tool::Route();
}

mcp::awaitable<Result<tool::CallResult>> ToolService::call(tool::Call& call) {
  return core_.dispatcher().call(call);
}

}  // namespace host::app
