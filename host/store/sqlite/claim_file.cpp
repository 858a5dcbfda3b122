#include "store/sqlite/claim_file.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/process/private_folder.h"

namespace host::store {
namespace {

constexpr std::uint64_t kMostNumber = (std::uint64_t{1} << 62u) - 1;  // of a byte in a file

// A lock of the open file, and not of the process: it ends when the last descriptor is closed, and
// two ClaimFiles of one process have different ones.
struct flock byte_lock(std::uint64_t number, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(number);
  lock.l_len = 1;
  return lock;
}

}  // namespace

ClaimFile::Claim::~Claim() {
  if (!file_) return;
  struct flock lock = byte_lock(number_, F_UNLCK);
  ::fcntl(file_->get(), F_OFD_SETLK, &lock);
}

Result<std::optional<ClaimFile::Claim>> ClaimFile::claim(std::uint64_t number) {
  HOST_TRY(open());
  number &= kMostNumber;
  struct flock lock = byte_lock(number, F_WRLCK);
  int done = -1;
  do {
    done = ::fcntl(file_->get(), F_OFD_SETLK, &lock);
  } while (done != 0 && errno == EINTR);
  if (done == 0) return std::optional<Claim>(Claim(file_, number));
  if (errno == EAGAIN || errno == EACCES) return std::optional<Claim>();
  return Error{ErrorKind::Io, "cannot lock " + path().string() + ": " + std::strerror(errno)};
}

Result<void> ClaimFile::open() {
  if (file_) return {};
  HOST_TRY_ASSIGN(const UniqueFd folder, open_private_folder(database_.parent_path(), Make::Yes));
  UniqueFd fd(::openat(folder.get(), path().filename().c_str(),
                       O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!fd)
    return Error{ErrorKind::Io, "cannot open " + path().string() + ": " + std::strerror(errno)};
  HOST_TRY(check_private_file(folder.get(), path(), Others::None));
  file_ = std::make_shared<const UniqueFd>(std::move(fd));
  return {};
}

}  // namespace host::store
