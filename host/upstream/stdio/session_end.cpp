#include "upstream/stdio/session_end.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "base/unique_fd.h"

extern "C" {
#include <sys/pidfd.h>  // glibc 2.36 forgot to say so itself
}

namespace host::upstream {
namespace {

// A process that starts others while it is looked for is found by one of the next rounds.
constexpr int kMostRounds = 5;

bool end_one(pid_t pid, pid_t session) {
  if (::getsid(pid) != session) return false;
  const UniqueFd process(::pidfd_open(pid, 0));
  // The number may have been given to another process before it was opened.
  if (!process || ::getsid(pid) != session) return false;
  return ::pidfd_send_signal(process.get(), SIGKILL, nullptr, 0) == 0;
}

// Returns whether there was one that is not known to be dead.
bool end_each(pid_t leader) {
  DIR* const all = ::opendir("/proc");
  if (!all) return false;
  bool some = false;
  while (const dirent* const entry = ::readdir(all)) {
    const auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (pid > 0 && pid != leader) some = end_one(pid, leader) || some;
  }
  ::closedir(all);
  return some;
}

}  // namespace

void end_session(pid_t leader) {
  for (int round = 0; round < kMostRounds && end_each(leader); ++round) {
  }
}

}  // namespace host::upstream
