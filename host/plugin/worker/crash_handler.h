// Reports to the host how this worker process dies: the signal, the call that the thread ran, and
// the place in the plugin's library. The crash handler writes only numbers, and the host interprets
// these numbers.
#pragma once

#include <cstdint>

namespace host::plugin::worker {

// Call this function once, before the process loads the plugin's library, because the library's
// constructors can crash. `library` is the library's path. install_crash_handler() installs
// handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS and for exit(). The signal handlers
// write the crash dump to `pipe`. After the handler, the process dies in the same way as without
// the handler.
void install_crash_handler(int pipe, const char* library);

// Lets the crash handler run on this thread even after a stack overflow.
// guard_stack_of_this_thread() allocates 64 KiB and never frees them, so call it only on threads
// that never end.
void guard_stack_of_this_thread();

// Records which call this thread runs, until the end of the scope. If the process crashes before
// the end of the scope, the crash dump contains the id of the call.
class InCall {
 public:
  explicit InCall(std::uint64_t call_id);
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;
  ~InCall();

 private:
  std::uint64_t outer_;
};

}  // namespace host::plugin::worker
