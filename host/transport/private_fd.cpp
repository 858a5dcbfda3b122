#include "transport/private_fd.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <string>

namespace host::transport {
namespace {

UniqueFd open_anew(int fd, int access) {
  struct stat status {};
  // A regular file opened anew would start from its beginning.
  if (::fstat(fd, &status) != 0 || !(S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)))
    return {};
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  return UniqueFd(::open(path.c_str(), access | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

}  // namespace

PrivateFd::PrivateFd(int fd, int access) : fd_(open_anew(fd, access)) {
  if (fd_) return;
  fd_.reset(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!fd_) return;
  flags_to_restore_ = ::fcntl(fd_.get(), F_GETFL);
  ::fcntl(fd_.get(), F_SETFL, flags_to_restore_ | O_NONBLOCK);
}

PrivateFd::~PrivateFd() {
  if (fd_ && flags_to_restore_ >= 0) ::fcntl(fd_.get(), F_SETFL, flags_to_restore_);
}

}  // namespace host::transport
