// subscriptions/listen: what a client wants to hear of, as far as this host can tell it.
#pragma once

#include <variant>

#include "protocol/json_rpc.h"

namespace host::session {

struct Listen {
  bool tools_changed = false;
};

std::variant<Listen, protocol::Fault> read_listen(const protocol::Message& message);

}  // namespace host::session
