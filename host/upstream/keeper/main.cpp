// toolpost-keeper: see control.h. It is small and links only the C library, because one runs beside
// each upstream server.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "upstream/keeper/control.h"

namespace host::upstream {
namespace {

constexpr long kLookAgainMs = 20;

void tell(const char* word, long value) {
  char line[64];
  const int length = snprintf(line, sizeof line, "%s %ld\n", word, value);
  // A host that does not read any more has ended, or will end this process.
  if (write(kKeeperStatus, line, static_cast<size_t>(length)) < 0) return;
}

long now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

// The first argument.
struct Terms {
  long grace_ms = 0;
  unsigned long long file_bytes = 0;  // 0: no limit
  unsigned long long memory_bytes = 0;
  bool reports = false;  // the command writes to kKeeperStatus too
  unsigned long long open_files = 0;
};

Terms terms_in(const char* text) {
  Terms terms;
  char* rest = nullptr;
  terms.grace_ms = strtol(text, &rest, 10);
  if (*rest == ':') terms.file_bytes = strtoull(rest + 1, &rest, 10);
  if (*rest == ':') terms.memory_bytes = strtoull(rest + 1, &rest, 10);
  if (*rest == ':') terms.reports = strtol(rest + 1, &rest, 10) != 0;
  if (*rest == ':') terms.open_files = strtoull(rest + 1, &rest, 10);
  return terms;
}

// ---- the server's side

// A limit that the host itself has is never raised.
void limit(int resource, unsigned long long most) {
  rlimit now{};
  if (most == 0 || getrlimit(static_cast<__rlimit_resource_t>(resource), &now) != 0) return;
  if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most) most = now.rlim_max;
  const rlimit both{most, most};
  if (setrlimit(static_cast<__rlimit_resource_t>(resource), &both) != 0) _exit(126);
}

[[noreturn]] void run(char** command, const Terms& terms, int report, pid_t keeper,
                      const sigset_t& mask) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != keeper) _exit(0);  // it ended before that line
  for (int signal = 1; signal < NSIG; ++signal) {
    if (signal != SIGKILL && signal != SIGSTOP) ::signal(signal, SIG_DFL);
  }
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  limit(RLIMIT_FSIZE, terms.file_bytes);
  limit(RLIMIT_AS, terms.memory_bytes);
  if (terms.reports) fcntl(kKeeperStatus, F_SETFD, 0);
  execvp(command[0], command);
  const int why = errno;
  if (write(report, &why, sizeof why) < 0) _exit(126);
  _exit(127);
}

// Returns the errno of a command that could not be run; 0: it runs.
int start(char** command, const Terms& terms, pid_t& server) {
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0) return errno;
  sigset_t all;
  sigset_t none;
  sigfillset(&all);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &all, nullptr);  // children are waited for with a signalfd
  const pid_t self = getpid();
  server = fork();
  if (server < 0) return errno;
  if (server == 0) {
    close(pipes[0]);
    run(command, terms, pipes[1], self, none);
  }
  setpgid(server, server);  // whichever of both is first
  close(pipes[1]);
  int why = 0;
  ssize_t count = 0;
  do {
    count = read(pipes[0], &why, sizeof why);
  } while (count < 0 && errno == EINTR);
  close(pipes[0]);
  return count == static_cast<ssize_t>(sizeof why) ? why : 0;
}

// ---- the keeper's side

// The pipes are the server's alone, so that the host sees when the server closes them.
void leave_standard_streams() {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd <= 2; ++fd) dup2(nothing, fd);
  if (nothing > 2) close(nothing);
}

struct Server {
  pid_t pid = 0;
  bool ended = false;
  bool none_left = false;  // neither it nor any of its descendants
};

void reap(Server& server) {
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == ECHILD) server.none_left = true;
    if (pid <= 0) return;
    if (pid != server.pid) continue;  // a descendant whose parent has ended
    server.ended = true;
    WIFEXITED(status) ? tell("exited", WEXITSTATUS(status)) : tell("killed", WTERMSIG(status));
  }
}

// Children of this process: the server, and all descendants whose parents have ended, save those of
// the process group `but` (0: none).
void signal_children(int signal, pid_t but) {
  FILE* const list = fopen("/proc/thread-self/children", "re");
  if (!list) return;
  long number = 0;
  while (fscanf(list, "%ld", &number) == 1) {
    const auto pid = static_cast<pid_t>(number);
    if (but == 0 || getpgid(pid) != but) kill(pid, signal);
  }
  fclose(list);
}

// Until no descendant is left: each death brings the dead one's children here.
void kill_all(Server& server) {
  if (!server.ended) kill(-server.pid, SIGKILL);
  for (;;) {
    signal_children(SIGKILL, 0);
    int status = 0;
    const pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) return;  // none is left
    if (pid != server.pid) continue;
    server.ended = true;
    WIFEXITED(status) ? tell("exited", WEXITSTATUS(status)) : tell("killed", WTERMSIG(status));
  }
}

int signals() {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

void watch(Server& server, long grace_ms) {
  const int child_signals = signals();
  bool stopping = false;
  bool told_rest = false;
  long end = 0;
  // The server may be a wrapper, whose child has to save what it has: the grace is for all of them.
  while (stopping ? !server.none_left : !server.ended) {
    const long left = stopping ? end - now_ms() : -1;
    if (stopping && left <= 0) return;
    // Once it stops, the control pipe says nothing new.
    pollfd what[2] = {{child_signals, POLLIN, 0}, {stopping ? -1 : kKeeperControl, POLLIN, 0}};
    // Without a signalfd it would have to look from time to time.
    const int timeout = child_signals < 0 ? static_cast<int>(kLookAgainMs) : static_cast<int>(left);
    poll(what, 2, timeout);
    signalfd_siginfo ignored;
    while (child_signals >= 0 && read(child_signals, &ignored, sizeof ignored) > 0) {
    }
    reap(server);
    if (!stopping && what[1].revents != 0) {
      stopping = true;
      end = now_ms() + grace_ms;
      kill(-server.pid, SIGTERM);
    }
    // Those that left its process group, once they are this process's children. The others know: to
    // some servers a second signal means at once.
    if (stopping && server.ended && !std::exchange(told_rest, true))
      signal_children(SIGTERM, server.pid);
  }
}

void lower_open_files(unsigned long long soft) {
  rlimit limit{};
  if (soft == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < soft) return;
  limit.rlim_cur = soft;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int keep(const Terms& terms, char** command) {
  lower_open_files(terms.open_files);
  fcntl(kKeeperControl, F_SETFD, FD_CLOEXEC);
  fcntl(kKeeperStatus, F_SETFD, FD_CLOEXEC);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  Server server;
  if (const int why = start(command, terms, server.pid); why != 0) {
    tell("failed", why);
    return 1;
  }
  leave_standard_streams();
  tell("started", server.pid);
  watch(server, terms.grace_ms);
  kill_all(server);
  return 0;
}

}  // namespace
}  // namespace host::upstream

int main(int argc, char** argv) {
  if (argc < 3 || fcntl(host::upstream::kKeeperControl, F_GETFD) < 0 ||
      fcntl(host::upstream::kKeeperStatus, F_GETFD) < 0) {
    fprintf(stderr, "toolpost-keeper is started by toolpost and is of no use alone\n");
    return 2;
  }
  return host::upstream::keep(host::upstream::terms_in(argv[1]), argv + 2);
}
