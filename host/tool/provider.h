// What answers calls: one generation of a plugin, an upstream server, the host's own tools.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tool/invocation.h"
#include "tool/offer.h"
#include "tool/provider_identity.h"
#include "tool/tool.h"

namespace host::tool {

// Used on the I/O thread only. A route holds it by shared_ptr: while a call is on its way its
// provider lives, and the last one to let go of a replaced provider retires it.
class Provider {
 public:
  virtual ~Provider() = default;

  // Does not change while it lives: whoever is another build is another provider.
  virtual const ProviderIdentity& identity() const = 0;
  const std::string& name() const { return identity().name; }
  virtual const std::vector<std::shared_ptr<const Tool>>& tools() const = 0;
  // What it offers beside tools; nothing by default. What changes is offered to the catalog anew.
  virtual const Offer& offer() const;

  // Starts one invocation. invocation->finish() follows once, perhaps before this returns.
  virtual void start(std::shared_ptr<Invocation> invocation) = 0;

  // invocation->cancel was requested: pass the wish on. finish() must still follow.
  virtual void cancel(const std::shared_ptr<Invocation>& invocation) = 0;
};

}  // namespace host::tool
