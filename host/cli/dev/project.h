// The folder of `toolpost dev`: its build command, its source files, and the plugins that were
// built.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"

namespace host::cli::dev {

struct Built {
  bool ok = false;
  std::string output;
  std::chrono::milliseconds took{0};
};

class Project {
 public:
  // Finds the build command by the file in the folder: CMakeLists.txt (built in build/) or
  // Cargo.toml. `command`, a program and its arguments, overrides this. An Error: there is neither
  // a file nor a command.
  static Result<Project> open(const std::filesystem::path& folder,
                              const std::optional<std::string>& command);

  const std::filesystem::path& folder() const { return folder_; }
  std::string how() const;  // the command, for users

  // An Error: a program could not be started, or the build was cancelled. A cancel kills the build.
  boost::asio::awaitable<Result<Built>> build(boost::asio::any_io_executor io,
                                              std::shared_ptr<Cancel> cancel) const;

  // The folders with source files, without build folders and hidden folders.
  std::vector<std::filesystem::path> source_folders() const;
  // A number that changes when a source file is added, removed or written. Cheap enough to poll.
  std::uint64_t mark_of_sources() const;

  // Libraries below the folder that export a plugin's entry. If several have the same name, the
  // newest.
  std::vector<std::filesystem::path> plugins() const;

  // The name of the plugin in a library: libadder.so of Rust is "adder".
  static std::string name_of(const std::filesystem::path& library);

 private:
  enum class Kind { CMake, Cargo, Command };
  Project(std::filesystem::path folder, Kind kind, std::vector<std::string> command)
      : folder_(std::move(folder)), kind_(kind), command_(std::move(command)) {}

  std::filesystem::path folder_;
  Kind kind_;
  std::vector<std::string> command_;
};

}  // namespace host::cli::dev
