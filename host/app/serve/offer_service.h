// Lists resources and prompts for MCP clients, reads resources, gets prompts, completes arguments.
#pragma once

#include "app/core/core.h"
#include "mcp/peer/services.h"

namespace host::app {

class OfferService final : public mcp::OfferService {
 public:
  explicit OfferService(Core& core) : core_(core) {}

  std::shared_ptr<const tool::Offers> list(const tool::Peer& peer) const override {
    const auto view = core_.views().of(peer);
    if (!view) return std::make_shared<const tool::Offers>();
    return {view->snapshot, &view->snapshot->offers()};
  }
  mcp::awaitable<Result<tool::CallResult>> call(tool::Call& call) override {
    return core_.offers().call(call);
  }

 private:
  Core& core_;
};

}  // namespace host::app
