#include "router/step/kept_results.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <optional>
#include <utility>

namespace host::router {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kMostTogether = 256;  // so that other users of the store do not wait long

}  // namespace

struct KeptResults::Waiting {
  Waiting(const asio::any_io_executor& io, store::IdempotencyStore::Ended what)
      : ended(std::move(what)), stored(io, asio::steady_timer::time_point::max()) {}

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

// Each write begins the next one at its end.
void KeptResults::write() {
  std::vector<std::shared_ptr<Waiting>> now;
  std::vector<store::IdempotencyStore::Ended> batch;
  while (!waiting_.empty() && now.size() < kMostTogether) {
    batch.push_back(std::move(waiting_.front()->ended));
    now.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  writes_ = !now.empty();
  if (!writes_) return;
  store::Desk::Act<Outcomes> act = [batch = std::move(batch)](store::Store& store) {
    return Result<Outcomes>(store.idempotency().keep(batch));
  };
  desk_->ask<Outcomes>(std::move(act), [self = shared_from_this(), now](Result<Outcomes> outcomes) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      now[i]->outcome = outcomes ? std::move((*outcomes)[i]) : Result<void>(outcomes.error());
      now[i]->stored.cancel();
    }
    self->write();
  });
}

}  // namespace host::router
