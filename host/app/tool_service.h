// The tools as sessions meet them: the router and the dispatcher behind session/'s interface.
#pragma once

#include "app/core.h"
#include "session/services.h"

namespace host::app {

class ToolService final : public session::ToolService {
 public:
  explicit ToolService(Core& core) : core_(core) {}

  Listing list(const tool::Peer& peer) const override;
  std::shared_ptr<const tool::Tool> find(const tool::Peer& peer,
                                         std::string_view name) const override;
  session::awaitable<Result<tool::CallResult>> call(tool::Call& call) override;

 private:
  Core& core_;
};

}  // namespace host::app
