#include "plugin/process/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/process/child_plan.h"
#include "plugin/wire/worker_descriptors.h"
#include "sandbox/sanitized.h"

extern "C" {
#include <sys/pidfd.h>  // glibc 2.36 forgot to say so itself
}

namespace host::plugin {
namespace {

Error failed(const std::string& what, int code) {
  return Error{ErrorKind::Io, what + ": " + std::strerror(code)};
}

// A plugin's settings come from the configuration; of the host's environment it needs no more than
// where and in which language it is.
bool is_usual(std::string_view name) {
  constexpr std::string_view kUsual[] = {"PATH", "HOME",  "USER",   "LANG",
                                         "TZ",   "TZDIR", "TMPDIR", "XDG_STATE_HOME"};
  constexpr std::string_view kForSanitizers[] = {"ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS",
                                                 "LSAN_OPTIONS"};
  const auto is_name = [&](std::string_view one) { return one == name; };
  return name.starts_with("LC_") || std::any_of(std::begin(kUsual), std::end(kUsual), is_name) ||
         (sandbox::kSanitizer != nullptr &&
          std::any_of(std::begin(kForSanitizers), std::end(kForSanitizers), is_name));
}

std::vector<char*> short_environment(const std::vector<std::string>& variables) {
  std::vector<char*> out;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    const bool granted = std::find(variables.begin(), variables.end(), name) != variables.end();
    if (granted || is_usual(name)) out.push_back(*variable);
  }
  out.push_back(nullptr);
  return out;
}

// The child's ends.
struct Theirs {
  UniqueFd socket;
  UniqueFd output;
  UniqueFd crash;
  UniqueFd payloads;  // none: it gets none
};

// The output goes first: its target numbers are lower than any descriptor of ours that matters.
int run_worker(const std::filesystem::path& executable, WorkerRole role,
               const std::vector<std::string>& variables, const Theirs& theirs, pid_t& pid) {
  ChildPlan plan;
  plan.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  plan.give(theirs.output.get(), STDOUT_FILENO);
  plan.give(theirs.output.get(), STDERR_FILENO);
  plan.give(theirs.socket.get(), kWorkerSocket);
  plan.give(theirs.crash.get(), kWorkerCrashPipe);
  if (theirs.payloads) plan.give(theirs.payloads.get(), kWorkerPayloads);
  plan.close_from(theirs.payloads ? kWorkerPayloads + 1 : kWorkerCrashPipe + 1);
  std::string name = executable.filename().string();
  std::string flag = role == WorkerRole::Probe ? "--probe" : "--symbolize";
  char* arguments[] = {name.data(), role == WorkerRole::Serve ? nullptr : flag.data(), nullptr};
  return plan.run(executable, arguments, short_environment(variables).data(), pid);
}

// Above the numbers that the child's own descriptors get, so that no dup2 hits another's source.
UniqueFd above_standard(UniqueFd fd) {
  if (fd.get() > kWorkerPayloads) return fd;
  return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kWorkerPayloads + 1));
}

bool make_pipe(UniqueFd& ours, UniqueFd& theirs) {
  int pipes[2];
  if (::pipe2(pipes, O_CLOEXEC) != 0) return false;
  ours.reset(pipes[0]);
  theirs = above_standard(UniqueFd(pipes[1]));
  return static_cast<bool>(theirs);
}

}  // namespace

Result<Child> spawn_worker(const std::filesystem::path& executable, WorkerRole role,
                           const std::vector<std::string>& variables, int payloads) {
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return failed("cannot make a socket pair", errno);
  Child child;
  Theirs theirs;
  child.socket.reset(sockets[0]);
  theirs.socket = above_standard(UniqueFd(sockets[1]));
  if (!theirs.socket) return failed("cannot copy a descriptor", errno);
  if (!make_pipe(child.output, theirs.output) || !make_pipe(child.crash, theirs.crash))
    return failed("cannot make a pipe", errno);
  ::fcntl(child.crash.get(), F_SETFL, O_NONBLOCK);
  if (payloads >= 0) theirs.payloads.reset(::fcntl(payloads, F_DUPFD_CLOEXEC, kWorkerPayloads + 1));

  const int code = run_worker(executable, role, variables, theirs, child.pid);
  if (code != 0) return failed("cannot start " + executable.string(), code);
  child.pidfd.reset(::pidfd_open(child.pid, 0));
  if (!child.pidfd) {
    const int why = errno;
    ::kill(child.pid, SIGKILL);
    ::waitpid(child.pid, nullptr, 0);
    return failed("cannot watch the worker's process", why);
  }
  return child;
}

void kill_child(const Child& child) {
  if (!child.pidfd) return;
  ::pidfd_send_signal(child.pidfd.get(), SIGKILL, nullptr, 0);
  ::kill(-child.pid, SIGKILL);  // not reaped yet: the group is still its own
}

std::string reap_child(Child& child, bool wait) {
  siginfo_t info{};
  const auto fd = static_cast<id_t>(child.pidfd.get());
  const auto wait_for = [&](int options) {
    int code = 0;
    do {
      code = ::waitid(P_PIDFD, fd, &info, WEXITED | options);
    } while (code != 0 && errno == EINTR);
    return code;
  };
  // An event loop makes the pidfd nonblocking, and then waitid() does not wait.
  pollfd ended{child.pidfd.get(), POLLIN, 0};
  while (wait && ::poll(&ended, 1, -1) < 0 && errno == EINTR) continue;
  int code = wait_for(WNOWAIT | WNOHANG);
  if (code == 0 && info.si_pid == 0) return {};
  if (code == 0) {
    ::kill(-child.pid, SIGKILL);  // while the number is still taken
    code = wait_for(0);
  }
  child.pidfd.reset();
  if (code != 0) return "ended";  // somebody else reaped it
  if (info.si_code == CLD_EXITED) return "exited with status " + std::to_string(info.si_status);
  const char* const name = ::sigabbrev_np(info.si_status);
  return "was killed by " + (name ? "SIG" + std::string(name) : "a signal") + " (signal " +
         std::to_string(info.si_status) + ", " + ::strsignal(info.si_status) + ")";
}

}  // namespace host::plugin
