// A program run to its end, with what it wrote.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace host::cli::dev {

struct Ran {
  int exit_code = -1;  // of a program killed by a signal: -1
  std::string output;  // both streams, the last MiB
  std::chrono::milliseconds took{0};
};

// `command` is a program, found by PATH, and its arguments; no shell is asked. It runs in `folder`,
// in this process's group, so that Ctrl-C reaches it too. An Error is that it could not be started.
boost::asio::awaitable<Result<Ran>> run_child(boost::asio::any_io_executor io,
                                              std::vector<std::string> command,
                                              std::filesystem::path folder);

}  // namespace host::cli::dev
