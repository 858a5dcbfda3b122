#include "session/request.h"

namespace host::session {

Reply refuse(const protocol::Fault& fault, int status) {
  Reply reply;
  reply.text = protocol::error_text(fault);
  reply.status = status;
  return reply;
}

Reply invalid_params(const protocol::Id& id, std::string message) {
  return refuse({protocol::kInvalidParams, std::move(message), id, {}});
}

}  // namespace host::session
