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
  if (failed_) {
    return Error{ErrorKind::Io, "audit file " + path_.string() + ": an earlier sync of it failed"};
  }
  const std::uint64_t upto = appended_;
  bool good = sync_(file_.get()) == 0;
  if (good && synced_ == 0) good = sync_(mark_.get()) == 0 && sync_folder(folder_.get());
  if (!good) {
    const int fault = errno;
    failed_ = true;
    return Error{ErrorKind::Io,
                 "audit file " + path_.string() + ": cannot be synced: " + std::strerror(fault)};
  }
  synced_ = upto;
  return {};
}

}  // namespace host::store
