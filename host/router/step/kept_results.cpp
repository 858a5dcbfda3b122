#include "router/step/kept_results.h"

#include <utility>
#include <vector>

namespace host::router {
namespace {

using Ended = store::IdempotencyStore::Ended;
using Writer = store::BatchWriter<Ended>;

constexpr Writer::Most kMostTogether{256, 8u << 20u};

store::BatchOutcomes keep_all(store::Store& store, const std::vector<Ended>& ended) {
  return store.idempotency().keep(ended);
}

}  // namespace

KeptResults::KeptResults(const boost::asio::any_io_executor& io, std::shared_ptr<store::Desk> desk)
    : writer_(std::make_shared<Writer>(io, std::move(desk), keep_all, kMostTogether)) {}

boost::asio::awaitable<Result<void>> KeptResults::keep(Ended ended) {
  const std::size_t bytes = ended.result.content.size() + ended.result.structured.size();
  return writer_->put(std::move(ended), bytes);
}

}  // namespace host::router
