// Writes items of one kind to the store. Items that come while a write is in progress wait. The
// next write stores the waiting items together, in one transaction and with one sync of the disk.
// The items are stored in the order in which they came. The functions of this header are called on
// the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/desk.h"

namespace host::store {

// The outcome of each item of a batch, in the order of the items.
using BatchOutcomes = std::vector<Result<void>>;

template <class Item>
class BatchWriter : public std::enable_shared_from_this<BatchWriter<Item>> {
 public:
  // A function that runs on the thread of the store, and stores all items of a batch in one
  // transaction.
  using Write = std::function<BatchOutcomes(Store&, const std::vector<Item>&)>;
  // The limits on the size of one write, so that other users of the store do not wait long. When
  // the items of a write reach `bytes`, the next item goes into the next write.
  struct Most {
    std::size_t items = 0;
    std::size_t bytes = std::numeric_limits<std::size_t>::max();
  };
  // `desk` must not be null.
  BatchWriter(boost::asio::any_io_executor io, std::shared_ptr<Desk> desk, Write write, Most most)
      : io_(std::move(io)), desk_(std::move(desk)), write_(std::move(write)), most_(most) {}

  // Calls `done` when the item is stored. An Error means that the item is not stored. `bytes` is
  // the size of the item, which counts towards Most::bytes.
  using Done = std::function<void(const Result<void>&)>;
  void add(Item item, std::size_t bytes, Done done) {
    waiting_.push_back(std::make_shared<Waiting>(Waiting{std::move(item), bytes, std::move(done)}));
    if (!writes_) write();
  }
  // Adds an item like add(), and returns the outcome when the item is stored.
  boost::asio::awaitable<Result<void>> put(Item item, std::size_t bytes = 0);

 private:
  struct Waiting {
    Item item;
    std::size_t bytes = 0;
    Done done;
  };
  using Batch = std::vector<std::shared_ptr<Waiting>>;

  void write();
  bool write_some();
  void end(const Batch& now, const Result<BatchOutcomes>& outcomes);

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<Desk> desk_;
  const Write write_;
  const Most most_;
  bool writes_ = false;  // true: a write is in progress
  std::deque<std::shared_ptr<Waiting>> waiting_;
};

// The coroutine continues during the call of `done`. A timer that wakes the coroutine would need a
// further iteration of the event loop for each item. While the coroutine waits, `place` owns the
// coroutine, so the coroutine must not own `place`.
template <class Item>
boost::asio::awaitable<Result<void>> BatchWriter<Item>::put(Item item, std::size_t bytes) {
  namespace asio = boost::asio;
  struct Place {
    std::optional<Result<void>> outcome;
    std::function<void(Result<void>)> resume;  // null: nobody waits
  };
  auto place = std::make_shared<Place>();
  add(std::move(item), bytes, [place](const Result<void>& outcome) {
    if (place->outcome) return;  // only the first outcome counts
    place->outcome = outcome;
    if (const auto resume = std::exchange(place->resume, nullptr)) resume(outcome);
  });
  if (place->outcome) co_return *place->outcome;  // add() has failed
  const auto wait = [](auto handler, std::shared_ptr<Place> at) {
    // The handler is shared, because a std::function must be copyable and a handler need not be.
    auto kept = std::make_shared<decltype(handler)>(std::move(handler));
    at->resume = [kept](Result<void> outcome) { std::move (*kept)(std::move(outcome)); };
  };
  auto outcome = co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Result<void>)>(
      wait, asio::use_awaitable, std::move(place));
  co_return outcome;
}

// Starts a write. At its end, each write starts the next write. If no write can be started, for
// example because memory is exhausted, all waiting items get an Error.
template <class Item>
void BatchWriter<Item>::write() {
  try {
    writes_ = true;
    writes_ = write_some();
  } catch (const std::exception& fault) {
    writes_ = false;
    const Result<void> why = Error{ErrorKind::Internal, fault.what()};
    for (const auto& one : std::exchange(waiting_, {})) one->done(why);
  }
}

// Returns false if no item waits.
template <class Item>
bool BatchWriter<Item>::write_some() {
  if (waiting_.empty()) return false;
  Batch now;
  std::vector<Item> items;
  const std::size_t room = std::min(waiting_.size(), most_.items);
  now.reserve(room);
  items.reserve(room);
  for (std::size_t bytes = 0; items.size() < room && bytes < most_.bytes;) {
    const auto& one = waiting_[items.size()];
    bytes += one->bytes;
    now.push_back(one);
    items.push_back(std::move(one->item));
  }
  const auto count = static_cast<std::ptrdiff_t>(items.size());
  Desk::Act<BatchOutcomes> act = [write = write_, items = std::move(items)](Store& store) {
    return Result<BatchOutcomes>(write(store, items));
  };
  // The Desk calls the following function a second time if it throws, but the next write must begin
  // only once. The next write begins first, because the callbacks in end() can take long.
  desk_->ask<BatchOutcomes>(std::move(act),
                            [self = this->shared_from_this(), now = std::move(now),
                             ended = false](const Result<BatchOutcomes>& outcomes) mutable {
                              if (!std::exchange(ended, true)) self->write();
                              self->end(now, outcomes);
                            });
  waiting_.erase(waiting_.begin(), waiting_.begin() + count);
  return true;
}

template <class Item>
void BatchWriter<Item>::end(const Batch& now, const Result<BatchOutcomes>& outcomes) {
  for (std::size_t i = 0; i < now.size(); ++i)
    now[i]->done(outcomes ? (*outcomes)[i] : Result<void>(outcomes.error()));
}

}  // namespace host::store
