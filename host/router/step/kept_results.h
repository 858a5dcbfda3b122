// Stores the results of calls with an idempotency key. Calls that end while a write is in progress
// wait, and the next write stores all their results together: in one transaction, with one sync of
// the disk. The functions are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <deque>
#include <memory>
#include <vector>

#include "base/result.h"
#include "store/desk.h"
#include "store/part/idempotency_store.h"

namespace host::router {

class KeptResults : public std::enable_shared_from_this<KeptResults> {
 public:
  // `desk` must not be null.
  KeptResults(boost::asio::any_io_executor io, std::shared_ptr<store::Desk> desk);

  // Returns when the result is stored. An Error means that it is not stored; see
  // IdempotencyStore::keep().
  boost::asio::awaitable<Result<void>> keep(store::IdempotencyStore::Ended ended);

 private:
  struct Waiting;
  using Outcomes = std::vector<Result<void>>;

  void write();
  bool write_some();

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<store::Desk> desk_;
  bool writes_ = false;  // true: a write is in progress
  std::deque<std::shared_ptr<Waiting>> waiting_;
};

}  // namespace host::router
