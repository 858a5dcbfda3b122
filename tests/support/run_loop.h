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

  // Starts `work`; its result appears in the returned place once the loop has come so far.
  template <class T>
  std::shared_ptr<std::optional<T>> start(boost::asio::awaitable<T> work) {
    auto place = std::make_shared<std::optional<T>>();
    boost::asio::co_spawn(io, keep(std::move(work), place), [](std::exception_ptr fault) {
      if (fault) std::rethrow_exception(fault);
    });
    return place;
  }

  // Runs until nothing is left to do.
  void drain() {
    io.restart();
    io.run();
  }
  // Runs what is ready now, without waiting.
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
  // A Result cannot be made from nothing, as co_spawn wants of a coroutine's value.
  template <class T>
  static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> work,
                                           std::shared_ptr<std::optional<T>> place) {
    T value = co_await std::move(work);
    place->emplace(std::move(value));
  }
};

}  // namespace host::test
