// A program run to its end, with what it wrote.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"

namespace host::cli::dev {

struct Ran {
  int exit_code = -1;  // of a program killed by a signal: -1
  std::string output;  // both streams, the last MiB
  std::chrono::milliseconds took{0};
};

// `command` is a program, found by PATH, and its arguments; no shell is asked. It runs in `folder`.
// A cancel kills it; so does the end of this process, however that comes. What it leaves running is
// killed too, see keeper.h. An Error is that it could not be started, or was cancelled.
boost::asio::awaitable<Result<Ran>> run_child(boost::asio::any_io_executor io,
                                              std::vector<std::string> command,
                                              std::filesystem::path folder,
                                              std::shared_ptr<Cancel> cancel);

}  // namespace host::cli::dev
