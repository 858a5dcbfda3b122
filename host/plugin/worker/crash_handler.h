// Tells the host how this process dies: the signal, the call that the thread was in, and where in
// the plugin's library. It only writes numbers; what they mean is found out elsewhere.
#pragma once

#include <cstdint>

namespace host::plugin::worker {

// Before the library is loaded, whose constructors may crash; `library` is the path by which it
// will be. Handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS and for exit() write to
// `pipe`, then let the process die of what it would have died of. Once.
void install_crash_handler(int pipe, const char* library);

// Lets this thread's handler run although its stack is full. For threads that never end: the
// memory, 64 KiB that are touched in need alone, is never given back.
void guard_stack_of_this_thread();

// The call that this thread is in, from now to the end of the scope.
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
