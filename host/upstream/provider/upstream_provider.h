// An UpstreamProvider is the provider of one upstream's tools, resources and prompts. When the
// upstream's lists change, the host makes a new provider. The functions of UpstreamProvider are
// called on the I/O thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tool/provider/provider.h"
#include "upstream/provider/served_offer.h"
#include "upstream/provider/served_tools.h"

namespace host::upstream {

// The enumeration Listed says whether the list that contains the target of a call came from the
// upstream itself or from the store.
enum class Listed { ByUpstream, InStore };

// A Target is the tool, resource or prompt that a call uses.
struct Target {
  std::string name;  // the upstream's own name for the tool, resource or prompt
  Listed listed = Listed::ByUpstream;
  protocol::TaskSupport tasks = protocol::TaskSupport::Forbidden;  // whether the call can be a task
};

// A CallTaker runs the calls of an upstream. The folder manager/ implements the interface
// CallTaker.
class CallTaker {
 public:
  virtual ~CallTaker() = default;
  // Runs a call. The implementation of take() must call the invocation's finish() once.
  virtual void take(std::shared_ptr<tool::Invocation> invocation, const Target& target) = 0;
  virtual void give_up(const std::shared_ptr<tool::Invocation>& invocation) = 0;
  virtual void abandon(const std::string& state) = 0;  // see tool::Provider
  virtual bool catch_up(std::function<void()> done) = 0;
};

class UpstreamProvider final : public tool::Provider {
 public:
  // `timeout` applies to calls that belong to no tool. If `timeout` is 0, the host's default
  // timeout applies. When `calls` has ended, `ended` gets the calls.
  UpstreamProvider(tool::ProviderIdentity identity, ServedTools served,
                   std::shared_ptr<const ServedOffer> offer, std::vector<tool::Limit> limits,
                   std::chrono::milliseconds timeout, std::weak_ptr<CallTaker> calls,
                   std::shared_ptr<CallTaker> ended);

  const tool::ProviderIdentity& identity() const override { return identity_; }
  const std::vector<std::shared_ptr<const tool::Tool>>& tools() const override {
    return served_.tools;
  }
  const tool::Offer& offer() const override { return offer_->offer; }
  bool catch_up(const std::function<void()>& done) override;
  const std::vector<tool::Limit>& limits() const override { return limits_; }
  std::chrono::milliseconds timeout() const override { return timeout_; }
  void start(std::shared_ptr<tool::Invocation> invocation) override;
  void cancel(const std::shared_ptr<tool::Invocation>& invocation) override;
  void abandon(const std::string& state) override;

  const ServedTools& served() const { return served_; }

 private:
  const tool::ProviderIdentity identity_;
  const ServedTools served_;
  const std::shared_ptr<const ServedOffer> offer_;
  const std::vector<tool::Limit> limits_;
  const std::chrono::milliseconds timeout_;
  const std::weak_ptr<CallTaker> calls_;
  const std::shared_ptr<CallTaker> ended_;
};

}  // namespace host::upstream
