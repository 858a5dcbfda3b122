#include "upstream/provider/upstream_provider.h"

#include <utility>

namespace host::upstream {

UpstreamProvider::UpstreamProvider(tool::ProviderIdentity identity, ServedTools served,
                                   std::weak_ptr<CallTaker> calls)
    : identity_(std::move(identity)), served_(std::move(served)), calls_(std::move(calls)) {}

void UpstreamProvider::start(std::shared_ptr<tool::Invocation> invocation) {
  const auto calls = calls_.lock();
  if (!calls) {
    invocation->refuse(Error{ErrorKind::Unavailable, "the upstream is gone"});
  } else if (invocation->function != tool::Function::Call || !invocation->tool) {
    invocation->refuse(Error{ErrorKind::InvalidArgument, "an upstream has no such function"});
  } else {
    calls->take(std::move(invocation), served_.names.at(invocation->tool->index()));
  }
}

void UpstreamProvider::cancel(const std::shared_ptr<tool::Invocation>& invocation) {
  if (const auto calls = calls_.lock()) calls->give_up(invocation);
}

}  // namespace host::upstream
