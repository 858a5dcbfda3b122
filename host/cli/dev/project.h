// The folder that `toolpost dev` works on: how it is built, what belongs to its source, which
// plugins came out.
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
  // By what stands in the folder: CMakeLists.txt (built in build/), Cargo.toml; or `command`, one
  // program and its arguments. An Error where none of them is there.
  static Result<Project> open(const std::filesystem::path& folder,
                              const std::optional<std::string>& command);

  const std::filesystem::path& folder() const { return folder_; }
  std::string how() const;  // the command, for people

  // An Error is that a program could not be started.
  // A cancel kills what builds, and is an Error too.
  boost::asio::awaitable<Result<Built>> build(boost::asio::any_io_executor io,
                                              std::shared_ptr<Cancel> cancel) const;

  // The folders whose files are sources; those of builds and hidden ones are left out.
  std::vector<std::filesystem::path> source_folders() const;
  // Another number once a source came, went or was written. Cheap enough to ask now and then.
  std::uint64_t mark_of_sources() const;

  // Libraries below the folder that export a plugin's entry; of those with one name the newest.
  std::vector<std::filesystem::path> plugins() const;

  // The name that a library is served under: libadder.so of Rust is "adder".
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
