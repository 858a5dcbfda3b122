// Runs coroutines of a test on one I/O context until nothing is left to do.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace host::test {

class RunLoop {
 public:
  boost::asio::io_context io;

  // Starts `work`. The returned optional gets the result when the coroutine has ended.
  template <class T>
  std::shared_ptr<std::optional<T>> start(boost::asio::awaitable<T> work) {
    auto place = std::make_shared<std::optional<T>>();
    boost::asio::co_spawn(io, keep(std::move(work), place), [](std::exception_ptr fault) {
      if (fault) std::rethrow_exception(fault);
    });
    return place;
  }

  // Runs the loop until there is no more work.
  void drain() {
    io.restart();
    io.run();
  }
  // Runs the handlers that are ready now, without waiting.
  void turn() {
    io.restart();
    io.poll();
  }

  template <class T>
  T get(boost::asio::awaitable<T> work) {
    const auto place = start(std::move(work));
    drain();
    if (!*place) throw std::runtime_error("the coroutine did not end");
    return std::move(**place);
  }

 private:
  // Stores the coroutine's value in `place`. co_spawn needs a value type that has a default
  // constructor, and Result has none.
  template <class T>
  static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> work,
                                           std::shared_ptr<std::optional<T>> place) {
    T value = co_await std::move(work);
    place->emplace(std::move(value));
  }
};

}  // namespace host::test
