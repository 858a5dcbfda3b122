// Starts an upstream server's process through toolpost-keeper (keeper/control.h). The keeper ends
// the server together with all processes that the server started.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/profile.h"

namespace host::upstream {

struct ChildSettings {
  std::filesystem::path keeper;           // the path of the program toolpost-keeper
  std::string command;                    // a path if it has a slash; otherwise a program in PATH
  std::vector<std::string> args;          // passed without a shell
  std::vector<std::string> env;           // the whole environment of the server, as "NAME=value"
  std::filesystem::path cwd;              // working folder; empty: the host's
  std::chrono::milliseconds grace{2000};  // the time from SIGTERM to SIGKILL
  std::uint64_t file_bytes = 0;           // maximum size of each file of the server; 0: no limit
  std::uint64_t memory_bytes = 0;         // maximum memory of each server process; 0: no limit
  // `sandbox` is the sandbox of the server, see Profile::server; nullopt: the server runs without a
  // sandbox. The program toolpost-confine, next to the keeper, applies the sandbox.
  std::optional<sandbox::Profile> sandbox = std::nullopt;
};

// A Child is the keeper's process, and the host's ends of the pipes to the keeper and the server.
// All ends are nonblocking.
struct Child {
  pid_t keeper = 0;
  UniqueFd pidfd;  // readable when the keeper and all processes of the server have ended
  UniqueFd input;  // the server's standard input
  UniqueFd output;
  UniqueFd errors;
  UniqueFd control;  // closing this pipe stops the server
  UniqueFd status;
};

// Returns the file of toolpost-confine, the program that applies ChildSettings::sandbox.
std::filesystem::path confiner_of(const ChildSettings& settings);

Result<Child> spawn_upstream(const ChildSettings& settings);

// Kills a keeper that does not end the server in time, for example because the keeper itself was
// stopped (SIGSTOP).
void kill_keeper(const Child& child);

// Reaps the keeper if the keeper has ended. If the keeper was killed, reap_upstream() first kills
// the processes of the keeper's session. Returns false if the keeper still runs.
bool reap_upstream(Child& child);

// Returns the environment variables that each upstream's process gets. The environment consists of
// PATH, HOME, USER, LANG, LC_*, TZ, TZDIR and TMPDIR of the host, and of `added` ("NAME=value"),
// which replaces variables of the same name.
std::vector<std::string> upstream_environment(const std::vector<std::string>& added);

}  // namespace host::upstream
