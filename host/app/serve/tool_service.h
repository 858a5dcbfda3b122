// Lists tools for MCP clients (router), and runs the clients' calls (dispatcher).
#pragma once

#include "app/core/core.h"
#include "mcp/peer/services.h"

namespace host::app {

class ToolService final : public mcp::ToolService {
 public:
  explicit ToolService(Core& core) : core_(core) {}

  Listing list(const tool::Peer& peer) const override;
  tool::Route find(const tool::Peer& peer, const std::string& name) const override;
  mcp::awaitable<Result<tool::CallResult>> call(tool::Call& call) override;

 private:
  Core& core_;
};

}  // namespace host::app
