// An Outlet sends the messages that belong to one request and precede its answer: notifications
// and, in protocol versions with sessions, also requests to the client.
#pragma once

#include <string_view>

namespace host::mcp {

class Outlet {
 public:
  virtual ~Outlet() = default;
  // Returns false if the message cannot be sent, because the connection is closed.
  virtual bool send(std::string_view message) = 0;
  // Returns true if the client reads so slowly that the sender should drop less important messages.
  virtual bool is_behind() const { return false; }
};

}  // namespace host::mcp
