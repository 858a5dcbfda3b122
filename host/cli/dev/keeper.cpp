#include "cli/dev/keeper.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/unique_fd.h"

extern "C" {
#include <sys/pidfd.h>  // glibc 2.36 forgot to say so itself
}

namespace host::cli::dev {
namespace {

constexpr int kFirstArgument = 3;  // behind the flag and the descriptor

int number_in(std::string_view text) {
  int number = -1;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() && end == text.data() + text.size() ? number : -1;
}

// The fourth field of /proc/PID/stat. The name before it may have brackets and spaces.
pid_t parent_of(const char* pid) {
  const UniqueFd file(
      ::open(("/proc/" + std::string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  char line[512];
  const ssize_t count = file ? ::read(file.get(), line, sizeof line) : 0;
  const std::string_view text(line, count > 0 ? static_cast<std::size_t>(count) : 0);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || text.size() < name_end + 5) return 0;
  const std::string_view rest = text.substr(name_end + 4);  // ") S "
  return number_in(rest.substr(0, rest.find(' ')));
}

// Their numbers are theirs until this process waits for them.
void kill_children() {
  DIR* const all = ::opendir("/proc");
  if (!all) return;
  while (const dirent* const entry = ::readdir(all)) {
    const pid_t pid = number_in(entry->d_name);
    if (pid > 0 && parent_of(entry->d_name) == ::getpid()) ::kill(pid, SIGKILL);
  }
  ::closedir(all);
}

// Whose parent ends becomes a child of this process, so that in the end all of them are.
void end_all() {
  for (;;) {
    kill_children();
    if (::waitpid(-1, nullptr, 0) < 0 && errno != EINTR) return;
  }
}

// An errno, or 0.
int start(const char* const* command, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int fault = ::posix_spawnp(&pid, command[0], &actions, &attributes,
                                   const_cast<char* const*>(command), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return fault;
}

// Until the program ends: true; or `toolpost dev` does.
bool outlasts(int lifeline, pid_t pid) {
  const UniqueFd program(::pidfd_open(pid, 0));
  pollfd ends[] = {{lifeline, POLLIN, 0}, {program.get(), POLLIN, 0}};
  while (::poll(ends, 2, -1) < 0 && errno == EINTR) {
  }
  return program && ends[0].revents == 0;
}

}  // namespace

bool is_keeper(int argc, const char* const* argv) {
  return argc > kFirstArgument && argv[1] == kKeeperFlag;
}

int keep(const char* const* argv) {
  const UniqueFd lifeline(number_in(argv[2]));
  if (!lifeline || ::fcntl(lifeline.get(), F_SETFD, FD_CLOEXEC) != 0) return EXIT_FAILURE;
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);  // Ctrl-C is for `toolpost dev` to act on
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  KeptEnd end;
  pid_t pid = 0;
  end.start_fault = start(argv + kFirstArgument, pid);
  if (end.start_fault == 0 && outlasts(lifeline.get(), pid)) ::waitpid(pid, &end.status, 0);
  end_all();
  static_cast<void>(::send(lifeline.get(), &end, sizeof end, MSG_NOSIGNAL));
  return EXIT_SUCCESS;
}

}  // namespace host::cli::dev
