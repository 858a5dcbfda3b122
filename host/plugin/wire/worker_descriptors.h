// Where a worker finds what the host left it at its start, beside the standard descriptors.
#pragma once

namespace host::plugin {

constexpr int kWorkerSocket = 3;
constexpr int kWorkerCrashPipe = 4;
constexpr int kWorkerPayloads = 5;  // is open where the two share memory

}  // namespace host::plugin
