// Sends messages that belong to one request before its answer: notifications, and in the legacy era
// requests to the client.
#pragma once

#include <string_view>

namespace host::mcp {

class Outlet {
 public:
  virtual ~Outlet() = default;
  // False: the client cannot be reached this way any more.
  virtual bool send(std::string_view message) = 0;
};

}  // namespace host::mcp
