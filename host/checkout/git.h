// Runs the program `git`, without a shell, for one pull or one comparison. Git gets only the
// options and variables of this file, and no configuration of the system, of the user or of a
// repository may make it run another program. toolpost-keeper ends git and all processes that git
// started when the time is up, and when the host ends for any reason.
//
// Every function blocks. Any thread.
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

// The most bytes that one run of git may print, save where the caller expects more.
inline constexpr std::uint64_t kMostGitOutput = 16u << 20u;
// The most memory of each process of git.
inline constexpr std::uint64_t kMostGitMemory = 2ull << 30u;

// The options before git's command: no hook, no filter, no helper, no redirect, only `scheme`.
std::vector<std::string> git_options(std::string_view scheme);

// The whole environment of git. `scheme` as above; empty: git connects to nothing. `folder`: git
// looks for no repository above it.
std::vector<std::string> git_environment(std::string_view scheme,
                                         const std::filesystem::path& folder);

class Git {
 public:
  struct Settings {
    std::filesystem::path keeper;  // the program toolpost-keeper
    std::string scheme;            // of the URL; empty: git connects to nothing
    SteadyTime deadline;           // of all runs together
    std::uint64_t file_bytes = 0;  // the most bytes of each file that git writes
  };
  // `cancelled` ends the run that is in progress. It must outlive the Git object.
  Git(Settings settings, const std::atomic<bool>& cancelled);

  struct Run {
    std::vector<std::string> arguments;  // from git's command on
    std::filesystem::path folder;        // the working folder
    std::string input = {};
    std::uint64_t most_output = kMostGitOutput;
    int also_ok = 0;  // an exit code that is a success too
  };
  // Returns what git printed. NotFound: there is no program git. DeadlineExceeded and Cancelled:
  // git was ended. InvalidArgument: it printed more than `most_output`. Io: git failed; the message
  // has git's own words.
  Result<std::string> run(const Run& run) const;

 private:
  const Settings settings_;
  const std::atomic<bool>& cancelled_;
};

}  // namespace host::checkout
