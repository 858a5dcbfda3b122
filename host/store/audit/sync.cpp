#include "store/audit/sync.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace host::store {
namespace {

// Some file systems have nothing to sync of a folder.
bool sync_folder(int fd) {
  return ::fsync(fd) == 0 || errno == EINVAL;
}

}  // namespace

Result<void> AuditSync::wait(std::uint64_t number) {
  if (synced_ >= number) return {};
  const std::uint64_t upto = appended_;
  bool good = ::fdatasync(file_.get()) == 0;
  if (good && synced_ == 0) good = ::fdatasync(mark_.get()) == 0 && sync_folder(folder_.get());
  if (!good) {
    return Error{ErrorKind::Io,
                 "audit file " + path_.string() + ": cannot be synced: " + std::strerror(errno)};
  }
  synced_ = upto;
  return {};
}

}  // namespace host::store
