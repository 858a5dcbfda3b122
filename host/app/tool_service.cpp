#include "app/tool_service.h"

namespace host::app {

ToolService::Listing ToolService::list(const tool::Peer& peer) const {
  const router::Router::Listing visible = core_.router().visible(peer);
  Listing listing{visible.snapshot, {}};
  listing.tools.reserve(visible.tools.size());
  for (const tool::Entry* entry : visible.tools) listing.tools.push_back(entry->tool.get());
  return listing;
}

std::shared_ptr<const tool::Tool> ToolService::find(const tool::Peer& peer,
                                                    std::string_view name) const {
  tool::Call call;
  call.name = name;
  call.principal = peer.principal;
  call.given = tool::given_by(peer);
  const auto route = core_.router().resolve(call);
  return route ? route->tool : nullptr;
}

mcp::awaitable<Result<tool::CallResult>> ToolService::call(tool::Call& call) {
  return core_.dispatcher().call(call);
}

}  // namespace host::app
