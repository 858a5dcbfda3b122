// Runs blocking work on another executor, and then resumes the coroutine on the coroutine's
// executor. While the work runs, the event loop of the coroutine's executor keeps running.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace host {

// An Outcome is the result of the work, or the exception that the work threw.
template <class T>
struct Outcome {
  std::optional<T> result;
  std::exception_ptr fault;
};

// Runs `work` on `there`. If `work` throws, on_executor() throws the same exception.
template <class T>
boost::asio::awaitable<T> on_executor(boost::asio::any_io_executor there, std::function<T()> work) {
  namespace asio = boost::asio;
  auto initiate = [](auto handler, asio::any_io_executor where, std::function<T()> act) {
    auto back = asio::prefer(asio::get_associated_executor(handler),
                             asio::execution::outstanding_work.tracked);
    // The handler is in a shared pointer, because a posted function object must be copyable, and
    // handlers often are not.
    auto kept = std::make_shared<decltype(handler)>(std::move(handler));
    asio::post(where, [kept, back, act = std::move(act)] {
      auto outcome = std::make_shared<Outcome<T>>();
      try {
        outcome->result.emplace(act());
      } catch (...) {  // an exception that leaves the thread would end the process
        outcome->fault = std::current_exception();
      }
      asio::post(back, [kept, outcome] { std::move (*kept)(outcome); });
    });
  };
  using Handed = std::shared_ptr<Outcome<T>>;
  const Handed outcome = co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Handed)>(
      initiate, asio::use_awaitable, std::move(there), std::move(work));
  if (outcome->fault) std::rethrow_exception(outcome->fault);
  co_return std::move(*outcome->result);
}

}  // namespace host
