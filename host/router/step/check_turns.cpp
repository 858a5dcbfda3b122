#include "router/step/check_turns.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

#include "json/schema/time_budget.h"

namespace host::router {

namespace asio = boost::asio;

std::chrono::nanoseconds CheckTurns::pause_of(const std::string& principal) const {
  const auto use = uses_.find(principal);
  if (use == uses_.end()) return {};
  return std::max(use->second.paid_at - clock_.steady() - kAtOnce, std::chrono::nanoseconds(0));
}

bool CheckTurns::must_wait(const tool::Call& call) const {
  return !uses_.empty() && pause_of(call.passport->who.principal).count() > 0;
}

asio::awaitable<Result<void>> CheckTurns::wait(const tool::Call& call) {
  auto waited = co_await wait(call.passport->who.principal, call.cancel);
  co_return waited;
}

asio::awaitable<Result<void>> CheckTurns::wait(std::string principal,
                                               std::shared_ptr<Cancel> cancel) {
  if (pause_of(principal) == std::chrono::nanoseconds(0)) co_return Result<void>();
  if (uses_[principal].waiting >= kMostWaiting) {
    co_return Error{ErrorKind::Unavailable,
                    "arguments and results of earlier calls took long to check, and " +
                        std::to_string(kMostWaiting) +
                        " calls wait for their turn already: retry after 1 s"};
  }
  ++uses_[principal].waiting;
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor);
  const auto woken = cancel->on_cancel([&timer] { timer.cancel(); });
  // The first of those that wait takes the turn; the others find a new pause.
  for (auto pause = pause_of(principal); pause.count() > 0 && !cancel->requested();
       pause = pause_of(principal)) {
    timer.expires_after(std::chrono::duration_cast<asio::steady_timer::duration>(pause));
    const auto ended = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    static_cast<void>(ended);  // in time, or by the cancel
  }
  --uses_[principal].waiting;
  if (cancel->requested()) co_return Error{ErrorKind::Cancelled, "cancelled"};
  co_return Result<void>();
}

CheckTurns::Began CheckTurns::began() const {
  Began out{steady_now(), std::nullopt};
  if (out.at < measured_until_) out.cpu = json::schema::thread_cpu_time();
  return out;
}

void CheckTurns::ended(const std::string& principal, const Began& began) {
  const SteadyTime now = steady_now();
  if (now - began.at < kQuick) return;
  measured_until_ = now + kMeasured;
  // In a longer time the host was stopped, because no check may take so long.
  const std::chrono::nanoseconds steady =
      std::min<std::chrono::nanoseconds>(now - began.at, kLongest);
  took(principal, began.cpu ? json::schema::thread_cpu_time() - *began.cpu : steady);
}

void CheckTurns::took(const std::string& principal, std::chrono::nanoseconds time) {
  if (time < kQuick) return;
  const SteadyTime now = clock_.steady();
  forget(now);
  Use& use = uses_[principal];
  use.paid_at = std::max(use.paid_at, now) + kShare * time;
}

// As many as had long checks in the last seconds: few.
void CheckTurns::forget(SteadyTime now) {
  std::erase_if(uses_, [now](const auto& one) {
    return one.second.waiting == 0 && one.second.paid_at <= now;
  });
}

}  // namespace host::router
