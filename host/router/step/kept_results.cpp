#include "router/step/kept_results.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace host::router {
namespace asio = boost::asio;
namespace {

// So that other users of the store do not wait long.
constexpr std::size_t kMostTogether = 256;
constexpr std::size_t kMostBytesTogether = 8u << 20u;

}  // namespace

struct KeptResults::Waiting {
  Waiting(const asio::any_io_executor& io, store::IdempotencyStore::Ended what)
      : ended(std::move(what)), stored(io, asio::steady_timer::time_point::max()) {}

  // Only the first outcome counts.
  void end(Result<void> with) {
    if (outcome) return;
    outcome = std::move(with);
    stored.cancel();
  }

  store::IdempotencyStore::Ended ended;
  std::optional<Result<void>> outcome;
  asio::steady_timer stored;  // cancelled when there is an outcome
};

KeptResults::KeptResults(asio::any_io_executor io, std::shared_ptr<store::Desk> desk)
    : io_(std::move(io)), desk_(std::move(desk)) {}

asio::awaitable<Result<void>> KeptResults::keep(store::IdempotencyStore::Ended ended) {
  const auto self = shared_from_this();
  const auto waiting = std::make_shared<Waiting>(io_, std::move(ended));
  waiting_.push_back(waiting);
  if (!writes_) write();
  while (!waiting->outcome)
    co_await waiting->stored.async_wait(asio::as_tuple(asio::use_awaitable));
  co_return *std::move(waiting->outcome);
}

// Each write begins the next one at its end. A failure, for example for want of memory, is one of
// those that wait.
void KeptResults::write() {
  try {
    writes_ = true;
    writes_ = write_some();
  } catch (const std::exception& fault) {
    writes_ = false;
    const Error why{ErrorKind::Internal, fault.what()};
    for (const auto& one : std::exchange(waiting_, {})) one->end(why);
  }
}

// False: nothing waits.
bool KeptResults::write_some() {
  std::vector<std::shared_ptr<Waiting>> now;
  std::vector<store::IdempotencyStore::Ended> batch;
  const std::size_t most = std::min(waiting_.size(), kMostTogether);
  now.reserve(most);
  batch.reserve(most);
  std::size_t bytes = 0;
  for (const auto& one : waiting_) {
    if (now.size() == kMostTogether || bytes >= kMostBytesTogether) break;
    bytes += one->ended.result.content.size() + one->ended.result.structured.size();
    batch.push_back(std::move(one->ended));
    now.push_back(one);
  }
  if (now.empty()) return false;
  store::Desk::Act<Outcomes> act = [batch = std::move(batch)](store::Store& store) {
    return Result<Outcomes>(store.idempotency().keep(batch));
  };
  const std::size_t count = now.size();
  desk_->ask<Outcomes>(
      std::move(act), [self = shared_from_this(), now = std::move(now)](Result<Outcomes> outcomes) {
        for (std::size_t i = 0; i < now.size(); ++i)
          now[i]->end(outcomes ? std::move((*outcomes)[i]) : Result<void>(outcomes.error()));
        self->write();
      });
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  return true;
}

}  // namespace host::router
