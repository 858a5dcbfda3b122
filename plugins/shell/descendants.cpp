#include "descendants.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>

#include <toolpost/toolpost.hpp>

#include "roots/roots.h"

namespace {

using Clock = std::chrono::steady_clock;

// Far longer than the kernel needs to end a process that it may end.
constexpr std::chrono::seconds kMostTime{5};
constexpr std::chrono::milliseconds kPollInterval{1};

// The kernel keeps a list for each thread. The sandbox lets a worker read its own.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::ifstream list(thread.path() / "children");
    for (pid_t child = 0; list >> child;) found.push_back(child);
  }
  return found;
}

bool has_children() {
  siginfo_t info{};
  while (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    if (errno != EINTR) return false;  // ECHILD
  }
  return true;
}

}  // namespace

// Without `exec` the sandbox denies this, like all that a plugin needs to run programs.
void adopt_orphans() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0) return;
  if (errno == EPERM) {
    throw toolpost::Error(
        "the command could not be started: this plugin may not run programs. The operator sets "
        "exec = true in [plugin.shell]");
  }
  throw toolpost::Error(
      "the command could not be started: this system does not let the worker find what a command "
      "leaves behind: prctl: " +
      reason(errno));
}

// A child that ends hands its own children to this process: so rounds, until there is none.
bool end_descendants() {
  for (const auto until = Clock::now() + kMostTime; has_children();) {
    for (const pid_t child : children()) ::kill(child, SIGKILL);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (!has_children()) return true;
    if (Clock::now() >= until) return false;
    std::this_thread::sleep_for(kPollInterval);
  }
  return true;
}
