#include "router/step/accepted.h"

#include "tool/call/recorder.h"

namespace host::router {

boost::asio::awaitable<Result<void>> is_accepted(const tool::Call& call) {
  if (!call.recorder) co_return Result<void>();
  auto accepted = co_await call.recorder->is_accepted();
  co_return accepted;
}

}  // namespace host::router
