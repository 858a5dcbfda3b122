// A Project is the folder in which `toolpost dev` works, with its build command, its source files,
// and the built plugins.
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
  // Finds the build command of the folder by a CMakeLists.txt (which builds in build/) or a
  // Cargo.toml. `command`, a program and its arguments, replaces the build command that was found.
  // Returns an Error if the folder has neither a CMakeLists.txt nor a Cargo.toml, and there is no
  // `command`.
  static Result<Project> open(const std::filesystem::path& folder,
                              const std::optional<std::string>& command);

  const std::filesystem::path& folder() const { return folder_; }
  std::string how() const;  // returns the build command, for users

  // Builds the project. If build() is cancelled, the build is killed. Returns an Error if a program
  // could not be started or the build was cancelled.
  boost::asio::awaitable<Result<Built>> build(boost::asio::any_io_executor io,
                                              std::shared_ptr<Cancel> cancel) const;

  // Returns the folders of the project that have source files. The result leaves out build folders
  // and hidden folders.
  std::vector<std::filesystem::path> source_folders() const;
  // Returns a number that changes when a source file is added, removed or written. The function is
  // fast enough for one call per second.
  std::uint64_t mark_of_sources() const;

  // Returns the libraries below the project's folder that export the entry point of a plugin. If
  // several libraries have the same name, the function returns only the newest of them.
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
