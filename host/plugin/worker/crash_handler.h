// Reports to the host how this process dies: the signal, the call that the thread ran, and the
// place in the plugin's library. It only writes numbers; the host interprets them.
#pragma once

#include <cstdint>

namespace host::plugin::worker {

// Call it once, before the library is loaded, because its constructors may crash. `library` is the
// library's path. Handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS and for exit()
// write to `pipe`, and then let the process die as it would without the handlers.
void install_crash_handler(int pipe, const char* library);

// Lets this thread's handler run even after a stack overflow. It allocates 64 KiB for the handler,
// which are never freed. So use it only for threads that never end.
void guard_stack_of_this_thread();

// Sets the call that this thread runs, until the end of the scope.
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
