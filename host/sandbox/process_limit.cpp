#include "sandbox/process_limit.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace host::sandbox {
namespace {

bool set_soft(rlim_t most, rlim_t hard) {
  const rlimit wanted{std::min(most, hard), hard};
  return ::setrlimit(RLIMIT_NPROC, &wanted) == 0;
}

bool can_fork() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  if (child < 0) return false;
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return true;
}

}  // namespace

Result<void> limit_processes(std::uint32_t most) {
  rlimit before{};
  if (::getrlimit(RLIMIT_NPROC, &before) != 0 || !set_soft(1, before.rlim_max))
    return Error{ErrorKind::Io, std::strerror(errno)};
  const bool is_exempt = can_fork();
  set_soft(2, before.rlim_max);
  const bool is_alone = can_fork();  // this process is the only one that counts
  ::setrlimit(RLIMIT_NPROC, &before);
  if (is_exempt) {
    return Error{ErrorKind::Denied,
                 "the kernel does not limit the processes of root: set uid to another user, or "
                 "processes = 0"};
  }
  if (!is_alone) {
    return Error{ErrorKind::Denied,
                 "without a user namespace the kernel counts all processes of the user: set "
                 "processes = 0, or allow user namespaces"};
  }
  const rlim_t wanted = std::min<rlim_t>(most, before.rlim_max);
  if (const rlimit both{wanted, wanted}; ::setrlimit(RLIMIT_NPROC, &both) != 0)
    return Error{ErrorKind::Io, std::strerror(errno)};
  return {};
}

}  // namespace host::sandbox
