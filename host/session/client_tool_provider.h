// A ClientToolProvider provides the tools that the client of a session executes itself. The
// provider belongs to one session. Each call waits until a client picks the call up and answers it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "session/client_tools.h"
#include "tool/call/caller_work.h"
#include "tool/provider/provider.h"

namespace host::session {

class ClientToolProvider final : public tool::Provider {
 public:
  // `work` must outlive the provider.
  ClientToolProvider(std::shared_ptr<const ClientTools> own, tool::CallerWork& work);

  const tool::ProviderIdentity& identity() const override { return identity_; }
  const std::vector<std::shared_ptr<const tool::Tool>>& tools() const override {
    return own_->tools;
  }
  void start(std::shared_ptr<tool::Invocation> invocation) override;
  void cancel(const std::shared_ptr<tool::Invocation>& invocation) override;

 private:
  const std::shared_ptr<const ClientTools> own_;
  const tool::ProviderIdentity identity_;
  tool::CallerWork& work_;
};

}  // namespace host::session
