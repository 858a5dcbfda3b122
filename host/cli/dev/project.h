// The folder in which `toolpost dev` works: its build command, its source files, and the plugins
// that were built.
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
  // Finds the build command by a file in the folder, a CMakeLists.txt (which builds in build/) or a
  // Cargo.toml. `command`, a program and its arguments, replaces this build command. Returns an
  // Error if there is neither one of these files nor a command.
  static Result<Project> open(const std::filesystem::path& folder,
                              const std::optional<std::string>& command);

  const std::filesystem::path& folder() const { return folder_; }
  std::string how() const;  // returns the build command, for users

  // Builds the project. A cancel of build() kills the build. Returns an Error if a program could
  // not be started or the build was cancelled.
  boost::asio::awaitable<Result<Built>> build(boost::asio::any_io_executor io,
                                              std::shared_ptr<Cancel> cancel) const;

  // Returns the folders with source files. The function leaves out build folders and hidden
  // folders.
  std::vector<std::filesystem::path> source_folders() const;
  // Returns a number that changes when a source file is added, removed or written. The function is
  // fast enough to be called once a second.
  std::uint64_t mark_of_sources() const;

  // Returns the libraries below the folder that export a plugin's entry. If several libraries have
  // the same name, the function returns only the newest.
  std::vector<std::filesystem::path> plugins() const;

  // Returns the name of the plugin in a library. Rust puts "lib" before a library's name. For
  // libadder.so, the function returns "adder".
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
