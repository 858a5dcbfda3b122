// A Route consists of the tool of a call and the provider that runs the call. The host finds the
// route once for a request, and passes the route on with the call.
#pragma once

#include <memory>

namespace host::tool {

class Provider;
class Snapshot;
class Tool;

struct Route {
  std::shared_ptr<const Tool> tool;    // null: the host found no tool, or has not searched for it
  std::shared_ptr<Provider> provider;  // a provider does not retire while a route points to it
  std::shared_ptr<const Snapshot> snapshot;

  explicit operator bool() const { return tool != nullptr; }
};

}  // namespace host::tool
