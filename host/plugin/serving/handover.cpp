#include "plugin/serving/handover.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <optional>

#include "base/process/spawn.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

constexpr std::chrono::milliseconds kLook{1};        // for the last call's end
constexpr std::chrono::milliseconds kNextLook{200};  // for the same, when nothing waits for it

// What save() and the coroutine that waits for it share.
struct StateWait {
  explicit StateWait(const asio::any_io_executor& io) : timer(io) {}
  asio::steady_timer timer;
  std::optional<Result<SavedState>> state;
};

bool is_used(const std::weak_ptr<Generation>& generation) {
  const auto alive = generation.lock();
  return alive && !alive->end_if_unused();
}

// A route may keep the generation for days. Two owners of one state, with timers, would stand
// beside each other meanwhile.
asio::awaitable<void> end_when_unused(std::weak_ptr<Generation> generation) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  while (is_used(generation)) {
    timer.expires_after(kNextLook);
    co_await timer.async_wait(asio::use_awaitable);
  }
}

}  // namespace

void Handover::end_at(std::shared_ptr<Generation> next) {
  from_->release_calls_to(std::move(next));
  spawn(io_, {"plugin", "ends a build that was replaced"}, end_when_unused(from_));
  from_.reset();
}

asio::awaitable<Result<SavedState>> Handover::take_state(std::chrono::milliseconds timeout) {
  const asio::any_io_executor io = co_await asio::this_coro::executor;
  const SteadyTime until = std::chrono::steady_clock::now() + timeout;
  const auto wait = std::make_shared<StateWait>(io);
  while (from_->busy()) {
    if (std::chrono::steady_clock::now() >= until)
      co_return Error{ErrorKind::DeadlineExceeded, "its calls did not end in time"};
    wait->timer.expires_after(kLook);
    co_await wait->timer.async_wait(asio::use_awaitable);
  }
  from_->save_state([wait](Result<SavedState> state) {
    wait->state = std::move(state);
    wait->timer.cancel();
  });
  if (!wait->state) {
    wait->timer.expires_at(until);
    constexpr auto token = asio::as_tuple(asio::use_awaitable);
    const auto [ended] = co_await wait->timer.async_wait(token);
    static_cast<void>(ended);
  }
  if (!wait->state) co_return Error{ErrorKind::DeadlineExceeded, "save() did not end in time"};
  co_return std::move(*wait->state);
}

}  // namespace host::plugin
