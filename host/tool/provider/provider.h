// A provider is the implementation behind tools: one generation of a plugin, an upstream server, or
// the host's own tools.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tool/call/at_once.h"
#include "tool/call/invocation.h"
#include "tool/definition/offer.h"
#include "tool/definition/provider_identity.h"
#include "tool/definition/tool.h"

namespace host::tool {

// The functions of Provider are called on the I/O thread. Routes keep a shared_ptr to the provider,
// so the provider exists while one of its calls is in progress. A replaced provider retires when
// the last shared_ptr to the provider is released.
class Provider {
 public:
  virtual ~Provider() = default;

  // The identity of a provider never changes. A new build of a plugin becomes a new Provider
  // object.
  virtual const ProviderIdentity& identity() const = 0;
  const std::string& name() const { return identity().name; }
  virtual const std::vector<std::shared_ptr<const Tool>>& tools() const = 0;
  // Returns the provider's resources and prompts. The default implementation returns no resources
  // and no prompts. When the offer of a provider changes, call Catalog::set() for this provider
  // again.
  virtual const Offer& offer() const;
  // If the provider's resources or templates may have changed since the host read them, catch_up()
  // returns true, and the host soon reads them again. The provider calls `done` once, when the
  // catalog has the new lists or when they cannot be read. The default implementation of catch_up()
  // returns false.
  virtual bool catch_up(const std::function<void()>& done);

  // limits() and timeout() return the limits and the timeout of the functions that belong to no
  // tool, such as ReadResource. The default implementation returns no limits. A timeout of 0 means
  // the host's default timeout.
  virtual const std::vector<Limit>& limits() const;
  virtual std::chrono::milliseconds timeout() const { return std::chrono::milliseconds(0); }

  // Starts one invocation. invocation->finish() must follow once, and can come before start()
  // returns.
  virtual void start(std::shared_ptr<Invocation> invocation) = 0;

  // Runs a function of an interceptor on the calling thread, if the provider can run the function
  // without waiting. The default implementation of run_at_once() returns AtOnce::No.
  virtual AtOnce run_at_once(AtOnceCall& call);

  // The host calls cancel() after the host has requested invocation->cancel. After cancel(), the
  // provider should stop the work on the invocation. After cancel(), the provider must still call
  // invocation->finish().
  virtual void cancel(const std::shared_ptr<Invocation>& invocation) = 0;

  // Reports that the host will not run a call again, although the call ended with questions (a
  // Round). `state` is the state of the Round.
  virtual void abandon(const std::string& state);
};

}  // namespace host::tool
