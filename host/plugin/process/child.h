// A worker's process: how it is started and how it ended.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace host::plugin {

struct Child {
  pid_t pid = 0;
  UniqueFd pidfd;   // readable once it ended; the process is reaped through it
  UniqueFd socket;  // our end
  UniqueFd output;  // what it writes to stdout and stderr
  UniqueFd crash;   // what it writes when it dies: a CrashDump; never waits
};

enum class WorkerRole { Serve, Probe, Symbolize };

// From a thread that lives as long as the host: the child dies with the thread that started it.
//
// With those descriptors beside the standard ones, the last a copy of `payloads` where that is not
// -1, nothing else of ours, a short environment and a session of its own, so that no terminal's
// signal reaches it. Of our environment it gets PATH, HOME, USER, LANG, LC_*, TZ, TZDIR, TMPDIR,
// what sanitizers read where it is built with one, and `variables`.
Result<Child> spawn_worker(const std::filesystem::path& executable, WorkerRole role,
                           const std::vector<std::string>& variables, int payloads = -1);

// With all that it started and that did not leave its process group.
void kill_child(const Child& child);

// Reaps it, and kills what it left behind in its process group: `was killed by SIGSEGV (signal 11,
// Segmentation fault)` or `exited with status 1`; empty where it still runs and `wait` is false.
std::string reap_child(Child& child, bool wait);

}  // namespace host::plugin
