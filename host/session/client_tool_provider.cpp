#include "session/client_tool_provider.h"

#include <utility>

namespace host::session {

ClientToolProvider::ClientToolProvider(std::shared_ptr<const ClientTools> own,
                                       tool::CallerWork& work)
    : own_(std::move(own)),
      identity_{tool::ProviderIdentity::Kind::Session, "session", "", own_->build},
      work_(work) {}

void ClientToolProvider::start(std::shared_ptr<tool::Invocation> invocation) {
  if (invocation->function != tool::Function::Call) {
    invocation->finish(Error{ErrorKind::Internal, "a client's tool has no check functions"});
    return;
  }
  work_.hand_over(std::move(invocation));
}

void ClientToolProvider::cancel(const std::shared_ptr<tool::Invocation>& invocation) {
  work_.take_back(invocation);
}

}  // namespace host::session
