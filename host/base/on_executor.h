// Runs blocking work on another executor and comes back. Keeps the coroutine's own executor busy
// meanwhile, so that its loop does not end.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace host {

template <class T>
boost::asio::awaitable<T> on_executor(boost::asio::any_io_executor there, std::function<T()> work) {
  namespace asio = boost::asio;
  auto initiate = [](auto handler, asio::any_io_executor where, std::function<T()> act) {
    auto back = asio::prefer(asio::get_associated_executor(handler),
                             asio::execution::outstanding_work.tracked);
    // Shared, because a function object that is posted may be copied, and a handler may not.
    auto kept = std::make_shared<decltype(handler)>(std::move(handler));
    asio::post(where, [kept, back, act = std::move(act)] {
      auto result = std::make_shared<T>(act());
      asio::post(back, [kept, result] { std::move (*kept)(std::move(*result)); });
    });
  };
  T result = co_await asio::async_initiate<const asio::use_awaitable_t<>, void(T)>(
      initiate, asio::use_awaitable, std::move(there), std::move(work));
  co_return result;
}

}  // namespace host
