#include "store/desk.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <mutex>

#include "base/log.h"
#include "base/process/spawn.h"

namespace host::store {
namespace {

constexpr std::chrono::milliseconds kTryEvery{1000};

}  // namespace

class Desk::Keeper {
 public:
  explicit Keeper(Open open) : open_(std::move(open)) {}

  Result<Store*> store() {
    if (!store_) {
      HOST_TRY_ASSIGN(store_, open_());
      const std::lock_guard lock(mutex_);
      place_ = store_->place();
    }
    return store_.get();
  }
  std::string fault() const { return store_->fault(); }  // after store()
  std::optional<StorePlace> place() const {              // any thread
    const std::lock_guard lock(mutex_);
    return place_;
  }

 private:
  const Open open_;
  std::unique_ptr<Store> store_;
  mutable std::mutex mutex_;  // guards what is below it
  std::optional<StorePlace> place_;
};

Desk::Desk(boost::asio::any_io_executor io, Open open)
    : io_(std::move(io)), keeper_(std::make_shared<Keeper>(std::move(open))), pause_(io_) {}

Desk::~Desk() {
  if (thread_) thread_->join();
}

Result<Store*> Desk::store_of(Keeper& keeper) {
  return keeper.store();
}

std::string Desk::fault_of(Keeper& keeper) {
  return keeper.fault();
}

boost::asio::awaitable<void> Desk::rethrow(std::exception_ptr fault) {
  std::rethrow_exception(std::move(fault));
  co_return;
}

boost::asio::any_io_executor Desk::thread() {
  if (!thread_) thread_.emplace(1);
  return thread_->get_executor();
}

void Desk::tell(std::function<void(Store&)> act) {
  boost::asio::post(thread(), [keeper = keeper_, act = std::move(act)] {
    if (auto store = keeper->store()) act(**store);
  });
}

void Desk::take(std::string fault) {
  if (fault == fault_) return;
  const bool began = fault_.empty();
  fault_ = std::move(fault);
  if (fault_.empty()) {
    log::info("store", "the store can be written to again");
  } else {
    log::error("store", "the store cannot be written to: what needs it is refused until it can",
               {{"reason", fault_}});
  }
  if (on_fault_) on_fault_();
  if (began && !trying_ && !stopping_) {
    trying_ = true;
    spawn(io_, {"store", "tries whether it can be written to"}, try_again(),
          [weak = weak_from_this()](const Result<void>& ended) {
            // The next fault that is told begins anew.
            if (const auto self = weak.lock(); self && !ended) self->trying_ = false;
          });
  }
}

boost::asio::awaitable<void> Desk::try_again() {
  const auto self = shared_from_this();
  while (!fault_.empty() && !stopping_) {
    pause_.expires_after(kTryEvery);
    boost::system::error_code ignored;
    co_await pause_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    if (stopping_) break;
    Act<bool> probe = [](Store& store) -> Result<bool> {
      HOST_TRY(store.probe());
      return true;
    };
    const auto probed =
        co_await ask<bool>(std::move(probe));  // which keeps the fault, or forgets it
  }
  trying_ = false;
}

std::string Desk::loss() {
  const auto place = keeper_->place();
  std::string loss = place ? place->loss() : std::string();
  if (!loss.empty() && !told_loss_) log::error("store", loss, {{"file", place->file.string()}});
  told_loss_ = !loss.empty();
  return loss;
}

void Desk::stop() {
  stopping_ = true;
  pause_.cancel();
}

}  // namespace host::store
