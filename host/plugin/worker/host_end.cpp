#include "plugin/worker/host_end.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/unique_fd.h"

extern "C" {
#include <sys/pidfd.h>  // glibc 2.36 forgot to say so itself
}

namespace host::plugin::worker {
namespace {

constexpr std::size_t kWatchStackBytes = 256u << 10u;

Error failed(const char* what, int code) {
  return Error{ErrorKind::Io, std::string(what) + ": " + std::strerror(code)};
}

void wait_for(pollfd what) {
  while (::poll(&what, 1, -1) < 0 && errno == EINTR) {
  }
}

// No event is asked for: a hang-up is always told, and only when the other end is closed whole. A
// host that has said all it has to say may shut down its half and wait for the answer.
void* watch(void* socket) {
  wait_for({static_cast<int>(reinterpret_cast<std::intptr_t>(socket)), 0, 0});
  ::_exit(0);
}

// ---- the keeper

// The session in a line of /proc/PID/stat, of a process that lives; else 0. The name before it is
// the process's own choice and may have brackets and spaces.
pid_t session_in(std::string_view line) {
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= line.size()) return 0;
  const char state = line[name_end + 2];
  if (state == 'Z' || state == 'X') return 0;
  const char* at = line.data() + name_end + 3;
  const char* const end = line.data() + line.size();
  pid_t session = 0;
  for (int field = 0; field < 3; ++field) {  // its parent, its group, its session
    while (at < end && *at == ' ') ++at;
    at = std::from_chars(at, end, session).ptr;
  }
  return session;
}

pid_t session_of(const char* pid) {
  const UniqueFd file(
      ::open(("/proc/" + std::string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return 0;
  char line[512];
  const ssize_t count = ::read(file.get(), line, sizeof line);
  return count > 0 ? session_in({line, static_cast<std::size_t>(count)}) : 0;
}

// Whether there was one.
bool kill_if_in(pid_t session, const char* name) {
  pid_t pid = 0;
  const char* const end = name + std::strlen(name);
  if (std::from_chars(name, end, pid).ptr != end || pid <= 0) return false;
  if (session_of(name) != session) return false;
  const UniqueFd process(::pidfd_open(pid, 0));
  // Once more: now the number is nobody else's.
  if (!process || session_of(name) != session) return false;
  return ::pidfd_send_signal(process.get(), SIGKILL, nullptr, 0) == 0;
}

bool kill_some_of(pid_t session) {
  DIR* const all = ::opendir("/proc");
  if (!all) return false;
  bool some = false;
  while (const dirent* entry = ::readdir(all)) some = kill_if_in(session, entry->d_name) || some;
  ::closedir(all);
  return some;
}

// A child of nobody's here, for a plugin may wait for all of its own. It has nothing of the
// worker's: no descriptor that would seem to be its end, no signal meant for it.
[[noreturn]] void keep(UniqueFd worker, pid_t session) {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::setsid();
  ::prctl(PR_SET_NAME, "toolpost-keeper", 0, 0, 0);
  const auto watched = static_cast<unsigned>(worker.get());
  if (watched > 0) ::close_range(0, watched - 1, 0);
  ::close_range(watched + 1, ~0u, 0);
  wait_for({worker.get(), POLLIN, 0});
  while (kill_some_of(session)) {
  }
  ::_exit(0);
}

}  // namespace

void die_with_host(int socket) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  // It made the socket. Where it ended before that line, this process has another parent by now.
  ucred host{};
  socklen_t size = sizeof host;
  const bool known = ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &host, &size) == 0;
  if (known && host.pid != ::getppid()) ::_exit(0);
}

Result<void> watch_for_end_of_host(int socket) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kWatchStackBytes);
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // no handler of the plugin's runs there
  pthread_t thread;
  const int code = ::pthread_create(&thread, &attributes, &watch,
                                    reinterpret_cast<void*>(static_cast<std::intptr_t>(socket)));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_attr_destroy(&attributes);
  if (code != 0) return failed("cannot watch for the host's end", code);
  return {};
}

Result<void> start_keeper() {
  const pid_t self = ::getpid();
  UniqueFd worker(::pidfd_open(self, 0));
  if (!worker) return failed("cannot watch itself", errno);
  const pid_t between = ::fork();
  if (between < 0) return failed("cannot start what ends its programs", errno);
  if (between == 0) {
    const pid_t keeper = ::fork();
    if (keeper == 0) keep(std::move(worker), self);
    ::_exit(keeper < 0 ? errno : 0);
  }
  int status = 0;
  while (::waitpid(between, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) return failed("cannot start what ends its programs", WEXITSTATUS(status));
  return {};
}

}  // namespace host::plugin::worker
