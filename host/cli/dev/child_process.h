// Runs a program to its end and returns its output.
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
  int exit_code = -1;  // -1: a signal killed the program
  std::string output;  // the last MiB of standard output and error
  std::chrono::milliseconds took{0};
};

// `command` contains a program and the program's arguments. The function run_child() finds the
// program by the variable PATH, and starts it without a shell. The program starts in the folder
// `folder`. If `cancel` is requested or `toolpost` ends, the program is killed. Processes that the
// program leaves running are also killed, see keeper.h. Returns an Error if the program could not
// be started or was cancelled.
boost::asio::awaitable<Result<Ran>> run_child(boost::asio::any_io_executor io,
                                              std::vector<std::string> command,
                                              std::filesystem::path folder,
                                              std::shared_ptr<Cancel> cancel);

}  // namespace host::cli::dev
