// The tool of a call and the provider that runs it. It is found once for a request and travels with
// the call.
#pragma once

#include <memory>

namespace host::tool {

class Provider;
class Snapshot;
class Tool;

struct Route {
  std::shared_ptr<const Tool> tool;    // null: no tool was found, or the search has not been made
  std::shared_ptr<Provider> provider;  // keeps the provider from being retired
  std::shared_ptr<const Snapshot> snapshot;

  explicit operator bool() const { return tool != nullptr; }
};

}  // namespace host::tool
