// Stores the results of calls with an idempotency key. Results of calls that end at the same time
// are stored together (store/batch_writer.h). The functions of this header are called on the I/O
// thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>

#include "base/result.h"
#include "store/batch_writer.h"
#include "store/desk.h"
#include "store/part/idempotency_store.h"

namespace host::router {

class KeptResults {
 public:
  // `desk` must not be null.
  KeptResults(const boost::asio::any_io_executor& io, std::shared_ptr<store::Desk> desk);

  // Returns after the result was stored. An Error means that the result is not stored; see
  // IdempotencyStore::keep().
  boost::asio::awaitable<Result<void>> keep(store::IdempotencyStore::Ended ended);

 private:
  const std::shared_ptr<store::BatchWriter<store::IdempotencyStore::Ended>> writer_;
};

}  // namespace host::router
