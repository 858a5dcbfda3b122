// A worker's process: how it is started and how it ended.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace host::plugin {

struct Child {
  pid_t pid = 0;
  UniqueFd pidfd;   // readable once it ended; the process is reaped through it
  UniqueFd socket;  // our end
  UniqueFd output;  // what it writes to stdout and stderr
};

// With a socket at its descriptor 3, nothing else of ours, a short environment and a session of its
// own, so that no terminal's signal reaches it.
Result<Child> spawn_worker(const std::filesystem::path& executable, bool probe);

void kill_child(const Child& child);

// Reaps it: `was killed by signal 11 (Segmentation fault)` or `exited with status 1`; empty where
// it still runs and `wait` is false.
std::string reap_child(Child& child, bool wait);

}  // namespace host::plugin
