// Starts the process of a worker, and finds out how the process ended.
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
  UniqueFd pidfd;   // pidfd: readable when the process has ended; used to reap the process
  UniqueFd socket;  // the host's end of the socket to the worker
  UniqueFd output;  // read end of the worker's stdout and stderr
  UniqueFd crash;   // the host reads the CrashDump of a dead worker from this pipe; nonblocking
};

enum class WorkerRole { Serve, Probe, Symbolize };

// Starts a worker. Call spawn_worker() on a thread that lives as long as the host, because the
// kernel kills the child when the thread that started the child ends.
//
// In addition to the standard descriptors, the child gets the descriptors of
// wire/worker_descriptors.h, but no other descriptors of the host. The child's descriptor
// kWorkerPayloads is a copy of `payloads`, unless `payloads` is -1. The child runs in a new
// session, so that signals of the host's terminal do not reach it. Of the host's environment, the
// child gets PATH, HOME, USER, LANG, LC_*, TZ, TZDIR, TMPDIR, XDG_STATE_HOME and `variables`. If
// the host was built with sanitizers, the child also gets the environment variables of the
// sanitizers.
Result<Child> spawn_worker(const std::filesystem::path& executable, WorkerRole role,
                           const std::vector<std::string>& variables, int payloads = -1);

// Kills the child and all other processes in the child's process group.
void kill_child(const Child& child);

// Reaps the child, and kills all other processes in the child's process group. Returns a text like
// `was killed by SIGSEGV (signal 11, Segmentation fault)` or `exited with status 1`. If `wait` is
// false and the child still runs, the text is empty.
std::string reap_child(Child& child, bool wait);

}  // namespace host::plugin
