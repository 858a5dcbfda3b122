#include "router/step/accepted.h"

#include "tool/call/recorder.h"

namespace host::router {

boost::asio::awaitable<Result<void>> is_accepted(const tool::Call& call) {
  if (!call.recorder) co_return Result<void>();
  auto accepted = co_await call.recorder->is_accepted();
  co_return accepted;
}

Result<void> tell_cleared(tool::Call& call) {
  auto told = call.on_cleared ? call.on_cleared() : Result<void>();
  if (!told && told.error().kind == ErrorKind::Unavailable) call.outcome = "busy";  // many tasks
  return told;
}

}  // namespace host::router
