// The descriptors that a worker gets when it starts, in addition to the standard ones.
#pragma once

namespace host::plugin {

constexpr int kWorkerSocket = 3;
constexpr int kWorkerCrashPipe = 4;
constexpr int kWorkerPayloads = 5;  // open if host and worker share memory

}  // namespace host::plugin
