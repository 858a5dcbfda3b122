// Runs the program `git`, without a shell, for one pull or one comparison. No configuration of the
// system, the user or a repository can make git run another program, because git gets only the
// options and environment variables in this header. When the time limit is reached, toolpost-keeper
// ends git and all processes that git started. The program toolpost-keeper also ends git and its
// processes when the host ends for any reason.
//
// Every function blocks. Any thread can call the functions of this header.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace host::checkout {

// kMostGitOutput is the maximum output of one run of git in bytes, unless the caller sets a
// different limit.
inline constexpr std::uint64_t kMostGitOutput = 16u << 20u;
// kMostGitMemory is the maximum memory of each process of git, in bytes.
inline constexpr std::uint64_t kMostGitMemory = 2ull << 30u;

// Returns the options for every git command. The options forbid hooks, filters, helpers and
// redirects, and allow only URLs with the scheme `scheme`.
std::vector<std::string> git_options(std::string_view scheme);

// Returns all environment variables of git. If `scheme` is empty, git can connect to no server. Git
// does not look for a repository in the folders above `folder`.
std::vector<std::string> git_environment(std::string_view scheme,
                                         const std::filesystem::path& folder);

class Git {
 public:
  struct Settings {
    std::filesystem::path keeper;  // the program toolpost-keeper
    std::string scheme;            // the scheme of the URL; empty: git can connect to no server
    SteadyTime deadline;           // the time limit for all runs together
    std::uint64_t file_bytes = 0;  // maximum size of each file that git writes
  };
  // When `cancelled` becomes true, the current run of git ends. `cancelled` must outlive the Git
  // object.
  Git(Settings settings, const std::atomic<bool>& cancelled);

  struct Run {
    std::vector<std::string> arguments;  // git's command and its arguments
    std::filesystem::path folder;        // the working folder
    std::string input = {};
    std::uint64_t most_output = kMostGitOutput;
    int also_ok = 0;  // an exit code that means success, in addition to 0
  };
  // Returns git's output. The Error NotFound means that git is not installed. The Errors
  // DeadlineExceeded and Cancelled mean that the host ended git. The Error InvalidArgument means
  // that git printed more than `most_output`, or that the download is larger than `file_bytes`. The
  // Error Io means that git failed, and its message contains git's message.
  Result<std::string> run(const Run& run) const;

 private:
  const Settings settings_;
  const std::atomic<bool>& cancelled_;
};

}  // namespace host::checkout
