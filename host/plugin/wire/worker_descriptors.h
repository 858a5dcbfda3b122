// The file descriptors that a worker has at its start, in addition to stdin, stdout and stderr.
#pragma once

namespace host::plugin {

constexpr int kWorkerSocket = 3;
constexpr int kWorkerCrashPipe = 4;
constexpr int kWorkerPayloads = 5;  // open only if host and worker share memory

}  // namespace host::plugin
