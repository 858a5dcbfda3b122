// The only way to start a coroutine that no other coroutine awaits. An exception that leaves the
// coroutine is logged and reported to `ended`. It is never dropped.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>

#include "base/result.h"

namespace host {

// Names the coroutine in the log. The texts are literals, because they are not copied.
struct Task {
  const char* component;  // the folder: "plugin"
  const char* does;       // "looks at the folders"
};

// Called once, at the end, with an Error of kind Internal after an exception. The Error only names
// the log line that has the details, so any client may see it.
using Ended = std::function<void(const Result<void>&)>;

void spawn(boost::asio::any_io_executor executor, Task task, boost::asio::awaitable<void> work,
           Ended ended = nullptr);
// Same, with a function object. It lives until its coroutine has ended, and its captures with it.
void spawn(boost::asio::any_io_executor executor, Task task,
           std::function<boost::asio::awaitable<void>()> work, Ended ended = nullptr);

// For a program's main coroutine: an exception leaves the run() of its loop.
void spawn_main(boost::asio::any_io_executor executor,
                std::function<boost::asio::awaitable<void>()> work);

}  // namespace host
