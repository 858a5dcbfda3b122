// Checks one plugin library, and reports all errors and likely mistakes, not only the first. Only a
// probe process loads and calls the library.
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
  std::filesystem::path worker;  // the path of toolpost-worker
  std::string settings = "{}";
  bool call_all = false;  // true: make example calls of all tools; false: of read-only tools
  std::chrono::milliseconds start_timeout{5000};
  std::chrono::milliseconds call_timeout{10000};
};

// A call that the check makes with example arguments.
struct ExampleCall {
  std::string tool;
  std::string arguments;
  std::string answer;  // the first text, the structured result, or the error
  std::chrono::microseconds took{0};
};

struct CheckReport {
  Lint lint;
  std::optional<Manifest> manifest;                      // nullopt: the plugin could not be started
  std::vector<std::shared_ptr<const tool::Tool>> tools;  // the tools as a host would offer them
  std::filesystem::path side_file;                       // empty: there is no side file
  std::vector<std::string> side_keys;                    // keys: "timeout_s", "tool.greet.presets"
  std::vector<ExampleCall> calls;
  std::vector<Finding> findings;

  bool faulty() const;
};

boost::asio::awaitable<CheckReport> check_plugin(boost::asio::any_io_executor io,
                                                 CheckRequest request);

}  // namespace host::plugin
