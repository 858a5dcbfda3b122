// The class Desk owns the host's store and the one thread that uses the store. Callers submit
// functions, which run on the store's thread one after the other, in the order of submission. When
// the first function is submitted, the Desk starts the thread, and the thread opens the store. The
// functions of this header are called on the I/O thread.
//
// A store that cannot write (for example because the disk is full) fails writes but still serves
// reads. The Desk detects that the store cannot write, reports this, and retries until writing
// works.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/on_executor.h"
#include "base/process/spawn.h"
#include "base/result.h"
#include "store/store.h"

namespace host::store {

class Desk : public std::enable_shared_from_this<Desk> {
 public:
  using Open = std::function<Result<std::unique_ptr<Store>>()>;
  template <class T>
  using Act = std::function<Result<T>(Store&)>;

  // `open` runs on the thread of the store, and runs again later if it fails.
  Desk(boost::asio::any_io_executor io, Open open);
  ~Desk();  // runs all submitted functions before it returns

  template <class T>
  boost::asio::awaitable<Result<T>> ask(Act<T> act);
  // Does the same as the first ask(), but passes the result to `done` instead of returning it.
  template <class T>
  void ask(Act<T> act, std::function<void(Result<T>)> done);
  // Does the same as ask(), for a function without a result.
  void tell(std::function<void(Store&)> act);
  // Does the same as ask(), but blocks until the function has returned its result. Use this
  // function only before the host serves clients.
  template <class T>
  Result<T> ask_and_wait(Act<T> act);

  // Returns true if any function was submitted so far.
  bool used() const { return thread_.has_value(); }

  // The reason why the store cannot write now. The returned text is empty if no failure is known.
  const std::string& fault() const { return fault_; }

  // Returns the reason why new data would be lost: somebody has removed or replaced the store's
  // file since the host opened it. Returns an empty text if the store's file is still at its path,
  // or is not open yet. loss() logs the reason once.
  std::string loss();

  // The desk calls `act` at each change of fault(), while the event loop runs. If `act` is set
  // again, the desk no longer calls the earlier function.
  void on_fault(std::function<void()> act) { on_fault_ = std::move(act); }

  // Ends the retries of failed writes, because the host is stopping.
  void stop();

 private:
  class Keeper;  // used only on the store's thread

  template <class T>
  struct Done {
    Result<T> result;
    std::string fault;
  };

  template <class T>
  static Done<T> run(const std::shared_ptr<Keeper>& keeper, const Act<T>& act);
  // Calls `done` with the result of a submitted function. If the submitted function throws, the
  // Desk logs the exception, and `done` gets an Error.
  template <class T>
  void end(Outcome<Done<T>> outcome, const std::function<void(Result<T>)>& done);
  static boost::asio::awaitable<void> rethrow(std::exception_ptr fault);
  static Result<Store*> store_of(Keeper& keeper);
  static std::string fault_of(Keeper& keeper);

  boost::asio::any_io_executor thread();
  void take(std::string fault);
  boost::asio::awaitable<void> try_again();

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<Keeper> keeper_;
  std::optional<boost::asio::thread_pool> thread_;
  std::string fault_;
  bool told_loss_ = false;
  std::function<void()> on_fault_;  // null: no listener
  boost::asio::steady_timer pause_;
  bool trying_ = false;
  bool stopping_ = false;
};

template <class T>
Desk::Done<T> Desk::run(const std::shared_ptr<Keeper>& keeper, const Act<T>& act) {
  auto store = store_of(*keeper);
  if (!store) return {store.error(), store.error().message};
  Result<T> result = act(**store);
  return {std::move(result), fault_of(*keeper)};
}

template <class T>
boost::asio::awaitable<Result<T>> Desk::ask(Act<T> act) {
  const auto self = shared_from_this();
  std::function<Done<T>()> work = [keeper = keeper_, act = std::move(act)] {
    return run<T>(keeper, act);
  };
  Done<T> done = co_await on_executor<Done<T>>(thread(), std::move(work));
  take(std::move(done.fault));
  co_return std::move(done.result);
}

// Uses no coroutine. The store's thread must not destroy the last pointer to the Desk, because
// ~Desk() would then wait for the thread on which it runs. The store's thread therefore passes its
// shared_ptr to the I/O thread.
template <class T>
void Desk::ask(Act<T> act, std::function<void(Result<T>)> done) {
  auto io = boost::asio::prefer(io_, boost::asio::execution::outstanding_work.tracked);
  boost::asio::post(thread(), [self = shared_from_this(), io = std::move(io), act = std::move(act),
                               done = std::move(done)]() mutable {
    Outcome<Done<T>> outcome;
    try {
      outcome.result.emplace(run<T>(self->keeper_, act));
    } catch (...) {  // an exception that leaves the thread would end the process
      outcome.fault = std::current_exception();
    }
    boost::asio::post(io, [self = std::move(self), outcome = std::move(outcome),
                           done = std::move(done)]() mutable {
      self->template end<T>(std::move(outcome), done);
    });
  });
}

template <class T>
void Desk::end(Outcome<Done<T>> outcome, const std::function<void(Result<T>)>& done) {
  try {
    if (outcome.fault) std::rethrow_exception(outcome.fault);
    take(std::move(outcome.result->fault));
    done(std::move(outcome.result->result));
  } catch (...) {
    spawn(io_, {"store", "does what it was asked"}, rethrow(std::current_exception()),
          [done](const Result<void>& ended) {
            if (!ended) done(ended.error());
          });
  }
}

template <class T>
Result<T> Desk::ask_and_wait(Act<T> act) {
  std::promise<Done<T>> promise;
  boost::asio::post(thread(), [&] { promise.set_value(run<T>(keeper_, act)); });
  Done<T> done = promise.get_future().get();
  take(std::move(done.fault));
  return std::move(done.result);
}

}  // namespace host::store
