// spawn() is the only way to start a coroutine that no other coroutine awaits. If an exception
// leaves the coroutine, spawn() logs the exception and reports it to `ended`.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>

#include "base/result.h"

namespace host {

// A Task is the name that a coroutine has in the log. `component` and `does` must be string
// literals, because spawn() does not copy them.
struct Task {
  const char* component;  // the folder of the code: "plugin"
  const char* does;       // what the coroutine does: "looks at the folders"
};

// spawn() calls the function Ended once, when the coroutine has ended. If the coroutine threw an
// exception, Ended gets an Error of the kind Internal. The Error contains only the id of the log
// line with the details, so any client may see the Error.
using Ended = std::function<void(const Result<void>&)>;

void spawn(boost::asio::any_io_executor executor, Task task, boost::asio::awaitable<void> work,
           Ended ended = nullptr);
// The second form of spawn() gets a function object `work`, which makes the coroutine. The function
// object and its captures exist until the coroutine has ended.
void spawn(boost::asio::any_io_executor executor, Task task,
           std::function<boost::asio::awaitable<void>()> work, Ended ended = nullptr);

// Starts a program's main coroutine. If the coroutine throws an exception, run() of the event loop
// throws the exception again.
void spawn_main(boost::asio::any_io_executor executor,
                std::function<boost::asio::awaitable<void>()> work);

}  // namespace host
