// All that a handler calls is async-signal-safe: write(), sigaction(), tgkill(), _dl_find_object()
// by its documentation, and _Unwind_Backtrace(), which finds its tables through it (gcc 12, glibc
// 2.35 and later). The header is written before the stack is walked, for a broken stack may kill
// the walker.
#include "plugin/worker/crash_handler.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "plugin/wire/crash_dump.h"

namespace host::plugin::worker {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
constexpr int kOfSeccomp = 1;  // the kernel's SYS_SECCOMP, for which the C library has no name
constexpr std::size_t kStackBytes = 64u << 10u;
constexpr std::size_t kGuardBytes = 4u << 10u;
constexpr std::uintptr_t kNearStack = 64u << 10u;
constexpr int kMostOwnFrames = 16;  // of the handler itself, above the one that crashed

int pipe_fd = -1;
pid_t own_process = 0;
const char* library_path = nullptr;
struct sigaction former[NSIG];
std::atomic<bool> taken = false;
thread_local std::uint64_t current_call = 0;

// Where the thread was.
struct Place {
  std::uintptr_t pc = 0;
  std::uintptr_t sp = 0;
};

Place place_of(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return {static_cast<std::uintptr_t>(machine.gregs[REG_RIP]),
          static_cast<std::uintptr_t>(machine.gregs[REG_RSP])};
#elif defined(__aarch64__)
  return {machine.pc, machine.sp};
#else
  static_cast<void>(machine);
  return {};
#endif
}

std::uint64_t offset_of(std::uintptr_t pc) {
  struct dl_find_object found {};
  if (_dl_find_object(reinterpret_cast<void*>(pc), &found) != 0) return CrashDump::kForeign;
  const link_map& map = *found.dlfo_link_map;
  if (!library_path || std::strcmp(map.l_name, library_path) != 0) return CrashDump::kForeign;
  return pc - map.l_addr;
}

void tell(const void* bytes, std::size_t size) {
  const ssize_t written = ::write(pipe_fd, bytes, size);  // the pipe is empty: it never waits
  static_cast<void>(written);
}

struct Walk {
  std::uintptr_t begin = 0;  // 0: from the first frame on
  bool found = false;
  int skipped = 0;
  std::size_t count = 0;
  std::uint64_t frames[CrashDump::kMostFrames];

  void add(std::uintptr_t pc) {
    if (count < CrashDump::kMostFrames) frames[count++] = offset_of(pc);
  }
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  int before_instruction = 0;
  std::uintptr_t pc = _Unwind_GetIPInfo(context, &before_instruction);
  if (pc == 0) return _URC_END_OF_STACK;
  if (!walk.found) {
    walk.found = walk.begin == 0 || pc == walk.begin;
    if (!walk.found) return ++walk.skipped < kMostOwnFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
  }
  // A return address stands behind its call, perhaps on another line.
  walk.add(before_instruction ? pc : pc - 1);
  return walk.count < CrashDump::kMostFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

void tell_frames(const Place& place) {
  static Walk walk;  // one thread ever comes here
  walk.begin = place.pc;
#if defined(__x86_64__)
  // A jump to nowhere has no frame of its own: its caller is on top of the stack.
  if (place.pc < 4096 && place.sp != 0) {
    walk.add(*reinterpret_cast<const std::uintptr_t*>(place.sp) - 1);
  }
#endif
  _Unwind_Backtrace(&visit, &walk);
  if (!walk.found && walk.count == 0 && place.pc != 0) walk.add(place.pc);
  tell(walk.frames, walk.count * sizeof walk.frames[0]);
}

// The sandbox keeps this handler for SIGSYS. But while the signal is blocked, as it is here, the
// kernel ends a process that makes another deadly call.
void die_of_sandbox() {
  ::syscall(SYS_ptrace, -1L, 0L, 0L, 0L);  // without a filter an error, and sigaction() works
}

void die_of(int signal, const siginfo_t& info) {
  ::sigaction(signal, &former[signal], nullptr);
  if (signal == SIGSYS) die_of_sandbox();
  // What the kernel raised for an instruction comes again when that is run again; all else is sent.
  if (info.si_code > 0 && signal != SIGSYS) return;
  ::syscall(SYS_tgkill, ::getpid(), ::syscall(SYS_gettid), signal);
}

// A child that the plugin forked has the handlers and the pipe too, but its end is not that of the
// worker.
bool is_child() {
  return ::getpid() != own_process;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  if (is_child()) return die_of(signal, *info);
  if (taken.exchange(true)) {
    for (;;) ::pause();  // another thread was first, and ends us all
  }
  const Place place = place_of(context);
  CrashDump::Header header;
  header.signal = signal;
  header.code = info->si_code;
  header.call_id = current_call;
  if (signal == SIGSYS && info->si_code == kOfSeccomp) header.system_call = info->si_syscall;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const bool at_stack = address + kNearStack > place.sp && address < place.sp + kNearStack;
  if (signal == SIGSEGV && info->si_code > 0 && at_stack) header.flags |= CrashDump::kStackOverflow;
  tell(&header, sizeof header);
  tell_frames(place);
  die_of(signal, *info);
}

// The worker itself leaves by _exit(): whoever comes here is the plugin.
void on_exit() {
  if (is_child() || taken.exchange(true)) return;
  CrashDump::Header header;
  header.call_id = current_call;
  tell(&header, sizeof header);
  tell_frames({});
}

_Unwind_Reason_Code look(_Unwind_Context*, void*) {
  return _URC_END_OF_STACK;
}

}  // namespace

void install_crash_handler(int pipe, const char* library) {
  pipe_fd = pipe;
  own_process = ::getpid();
  library_path = ::strdup(library);
  _Unwind_Backtrace(&look, nullptr);  // what it sets up at its first use is set up now
  guard_stack_of_this_thread();
  struct sigaction action {};
  action.sa_sigaction = &on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigfillset(&action.sa_mask);
  for (const int signal : kSignals) ::sigaction(signal, &action, &former[signal]);
  std::atexit(&on_exit);
}

void guard_stack_of_this_thread() {
  void* const memory = ::mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return;  // then only the signal reports a stack overflow
  ::mprotect(memory, kGuardBytes, PROT_NONE);
  stack_t stack{};
  stack.ss_sp = static_cast<char*>(memory) + kGuardBytes;
  stack.ss_size = kStackBytes;
  ::sigaltstack(&stack, nullptr);
}

InCall::InCall(std::uint64_t call_id) : outer_(current_call) {
  current_call = call_id;
}

InCall::~InCall() {
  current_call = outer_;
}

}  // namespace host::plugin::worker
