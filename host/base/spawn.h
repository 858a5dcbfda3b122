// The one way to start a coroutine that no other coroutine awaits. An exception that leaves it is
// logged, and told to whoever waits for its end: it is never dropped.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>

#include "base/result.h"

namespace host {

// Which coroutine, in the log's words. Literals: they are not copied.
struct Task {
  const char* component;  // the folder: "plugin"
  const char* does;       // "looks at the folders"
};

// Comes once, at the end; with an Error of kind Internal where that was an exception. It names the
// line of the log that says which, and may be shown to anybody.
using Ended = std::function<void(const Result<void>&)>;

void spawn(boost::asio::any_io_executor executor, Task task, boost::asio::awaitable<void> work,
           Ended ended = nullptr);
// The same by a function object, which lives until its coroutine has ended: so may its captures.
void spawn(boost::asio::any_io_executor executor, Task task,
           std::function<boost::asio::awaitable<void>()> work, Ended ended = nullptr);

// What a program is for: an exception leaves the run() of its loop.
void spawn_main(boost::asio::any_io_executor executor,
                std::function<boost::asio::awaitable<void>()> work);

}  // namespace host
