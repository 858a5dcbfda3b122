// Checks one library as the host would, and reports all errors and likely mistakes, instead of only
// the first. The library is loaded and called only in a probe process.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugin/declared/manifest.h"
#include "plugin/file/elf_lint.h"
#include "plugin/lifecycle/tool_review.h"

namespace host::plugin {

struct CheckRequest {
  std::filesystem::path file;
  std::filesystem::path worker;  // toolpost-worker
  std::string settings = "{}";
  bool call_all = false;  // false: only tools that declare themselves read-only are called
  std::chrono::milliseconds start_timeout{5000};
  std::chrono::milliseconds call_timeout{10000};
};

// One call with example arguments.
struct ExampleCall {
  std::string tool;
  std::string arguments;
  std::string answer;  // the first text, the structured result, or the error
  std::chrono::microseconds took{0};
};

struct CheckReport {
  Lint lint;
  std::optional<Manifest> manifest;                      // set if the library could be started
  std::vector<std::shared_ptr<const tool::Tool>> tools;  // as a host would offer them
  std::filesystem::path side_file;                       // empty: the library has none
  std::vector<std::string> side_keys;                    // "timeout_s", "tool.greet.presets"
  std::vector<ExampleCall> calls;
  std::vector<Finding> findings;

  bool faulty() const;
};

boost::asio::awaitable<CheckReport> check_plugin(boost::asio::any_io_executor io,
                                                 CheckRequest request);

}  // namespace host::plugin
