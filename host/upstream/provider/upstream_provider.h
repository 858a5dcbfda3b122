// The tools of one upstream as a provider. A change of the tools makes a new provider. I/O thread
// only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tool/provider.h"
#include "upstream/provider/served_tools.h"

namespace host::upstream {

// Runs calls. Implemented by manager/.
class CallTaker {
 public:
  virtual ~CallTaker() = default;
  // `tool`: as the upstream names it. finish() must follow once.
  virtual void take(std::shared_ptr<tool::Invocation> invocation, const std::string& tool) = 0;
  virtual void give_up(const std::shared_ptr<tool::Invocation>& invocation) = 0;
};

class UpstreamProvider final : public tool::Provider {
 public:
  UpstreamProvider(tool::ProviderIdentity identity, ServedTools served,
                   std::weak_ptr<CallTaker> calls);

  const tool::ProviderIdentity& identity() const override { return identity_; }
  const std::vector<std::shared_ptr<const tool::Tool>>& tools() const override {
    return served_.tools;
  }
  void start(std::shared_ptr<tool::Invocation> invocation) override;
  void cancel(const std::shared_ptr<tool::Invocation>& invocation) override;

  const ServedTools& served() const { return served_; }

 private:
  const tool::ProviderIdentity identity_;
  const ServedTools served_;
  const std::weak_ptr<CallTaker> calls_;
};

}  // namespace host::upstream
