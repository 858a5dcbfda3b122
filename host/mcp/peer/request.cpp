#include "mcp/peer/request.h"

namespace host::mcp {

bool tells_codes(const config::Config& config, const Request& request) {
  if (request.who.agent.empty()) return false;
  const config::Agent* const agent = config::agent(config, request.who.agent);
  return agent && agent->errors == config::Errors::RpcCodes;
}

Reply refuse(const protocol::Fault& fault, int status) {
  Reply reply;
  reply.text = protocol::error_text(fault);
  reply.status = status;
  return reply;
}

Reply invalid_params(const protocol::Id& id, std::string message) {
  return refuse({protocol::kInvalidParams, std::move(message), id, {}});
}

}  // namespace host::mcp
