#include "upstream/provider/upstream_provider.h"

#include <cstdint>
#include <utility>

namespace host::upstream {

UpstreamProvider::UpstreamProvider(tool::ProviderIdentity identity, ServedTools served,
                                   std::shared_ptr<const ServedOffer> offer,
                                   std::vector<tool::Limit> limits,
                                   std::chrono::milliseconds timeout,
                                   std::weak_ptr<CallTaker> calls, std::shared_ptr<CallTaker> ended)
    : identity_(std::move(identity)),
      served_(std::move(served)),
      offer_(std::move(offer)),
      limits_(std::move(limits)),
      timeout_(timeout),
      calls_(std::move(calls)),
      ended_(std::move(ended)) {}

void UpstreamProvider::start(std::shared_ptr<tool::Invocation> invocation) {
  using tool::Function;
  auto calls = calls_.lock();
  if (!calls) calls = ended_;
  const Function function = invocation->function;
  const Listed listed = offer_->is_stored ? Listed::InStore : Listed::ByUpstream;
  if (function == Function::Call && invocation->tool) {
    const std::uint32_t index = invocation->tool->index();
    calls->take(std::move(invocation),
                {served_.names.at(index), Listed::ByUpstream, served_.tasks.at(index)});
  } else if (function == Function::ReadResource) {
    const std::string uri = invocation->name;
    calls->take(std::move(invocation), {uri, listed});
  } else if (function == Function::GetPrompt || function == Function::Complete) {
    // A completion may be for a resource template: no prompt has its name.
    const auto prompt = offer_->prompt_names.find(invocation->name);
    const std::string target =
        prompt == offer_->prompt_names.end() ? invocation->name : prompt->second;
    calls->take(std::move(invocation), {target, listed});
  } else {
    invocation->refuse(Error{ErrorKind::InvalidArgument, "an upstream has no such function"});
  }
}

void UpstreamProvider::cancel(const std::shared_ptr<tool::Invocation>& invocation) {
  if (const auto calls = calls_.lock()) calls->give_up(invocation);
}

void UpstreamProvider::abandon(const std::string& state) {
  if (const auto calls = calls_.lock()) calls->abandon(state);
}

bool UpstreamProvider::catch_up(const std::function<void()>& done) {
  const auto calls = calls_.lock();
  return calls && calls->catch_up(done);
}

}  // namespace host::upstream
