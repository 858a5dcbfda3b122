// Fails the calls of an upstream that has ended. A call keeps the provider of its route, so it can
// come after the end of the upstream, for example when its client has answered a question.
#pragma once

#include <memory>
#include <string>

#include "upstream/connection/secrets.h"
#include "upstream/provider/upstream_provider.h"

namespace host::upstream {

class EndedCalls final : public CallTaker {
 public:
  // `upstream` is the upstream's name.
  EndedCalls(std::string upstream, std::shared_ptr<const Secrets> secrets);

  // `why` is the reason for the end of the upstream.
  void set_reason(const std::string& why) { why_ = why; }

  void take(std::shared_ptr<tool::Invocation> invocation, const Target& target) override;
  void give_up(const std::shared_ptr<tool::Invocation>&) override {}
  void abandon(const std::string&) override {}
  bool catch_up(std::function<void()>) override { return false; }

 private:
  const std::string upstream_;
  const std::shared_ptr<const Secrets> secrets_;
  std::string why_ = "it has ended";
};

}  // namespace host::upstream
