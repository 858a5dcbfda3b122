// The only way to start a coroutine that no other coroutine awaits. An exception that leaves the
// coroutine is logged and reported to `ended`. The exception is never dropped.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>

#include "base/result.h"

namespace host {

// The name of the coroutine in the log. Both texts must be string literals, because they are not
// copied.
struct Task {
  const char* component;  // the folder: "plugin"
  const char* does;       // "looks at the folders"
};

// Called once when the coroutine has ended. After an exception it gets an Error of the kind
// Internal. The Error only names the log line with the details, so any client may see it.
using Ended = std::function<void(const Result<void>&)>;

void spawn(boost::asio::any_io_executor executor, Task task, boost::asio::awaitable<void> work,
           Ended ended = nullptr);
// As the first spawn(), with a function object. The function object and its captures exist until
// the coroutine has ended.
void spawn(boost::asio::any_io_executor executor, Task task,
           std::function<boost::asio::awaitable<void>()> work, Ended ended = nullptr);

// For a program's main coroutine: an exception is thrown by the run() of the event loop.
void spawn_main(boost::asio::any_io_executor executor,
                std::function<boost::asio::awaitable<void>()> work);

}  // namespace host
