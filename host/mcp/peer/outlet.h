// Where what belongs to one request goes before its answer: notifications, and in the legacy era
// requests to the client.
#pragma once

#include <string_view>

namespace host::mcp {

class Outlet {
 public:
  virtual ~Outlet() = default;
  // False once the peer cannot be reached this way.
  virtual bool send(std::string_view message) = 0;
};

}  // namespace host::mcp
