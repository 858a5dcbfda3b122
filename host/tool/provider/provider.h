// The implementation behind tools: one generation of a plugin, an upstream server, or the host's
// own tools.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tool/call/invocation.h"
#include "tool/definition/offer.h"
#include "tool/definition/provider_identity.h"
#include "tool/definition/tool.h"

namespace host::tool {

// I/O thread only. Routes keep a shared_ptr to it, so it lives while one of its calls is in
// progress. A replaced provider retires when the last shared_ptr to it is released.
class Provider {
 public:
  virtual ~Provider() = default;

  // Never changes: a different build is a different provider.
  virtual const ProviderIdentity& identity() const = 0;
  const std::string& name() const { return identity().name; }
  virtual const std::vector<std::shared_ptr<const Tool>>& tools() const = 0;
  // Resources and prompts; none by default. After a change, set the provider in the catalog again.
  virtual const Offer& offer() const;

  // Of calls that belong to no tool: the limits whose units they need, and their timeout. None, and
  // 0 (the default), unless the provider has its own.
  virtual const std::vector<Limit>& limits() const;
  virtual std::chrono::milliseconds timeout() const { return std::chrono::milliseconds(0); }

  // Starts one invocation. invocation->finish() must follow once, perhaps before this returns.
  virtual void start(std::shared_ptr<Invocation> invocation) = 0;

  // invocation->cancel was requested: pass it on. finish() must still follow.
  virtual void cancel(const std::shared_ptr<Invocation>& invocation) = 0;

  // A call ended with a round of this state, and will not be run again.
  virtual void abandon(const std::string& state);
};

}  // namespace host::tool
