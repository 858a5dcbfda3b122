#include "store/sqlite/claim_file.h"

#include <fcntl.h>
#include <sys/stat.h>

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

// 0, or the error.
int lock_byte(int fd, std::uint64_t number, short type) {
  struct flock lock = byte_lock(number, type);
  while (::fcntl(fd, F_OFD_SETLK, &lock) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace

ClaimFile::Claim::~Claim() {
  if (!file_) return;
  lock_byte(file_->fd.get(), number_, F_UNLCK);
  for (const UniqueFd& fd : file_->former) lock_byte(fd.get(), number_, F_UNLCK);
  file_->claims.erase(number_);
  if (file_->claims.empty()) file_->former.clear();
}

Result<std::optional<ClaimFile::Claim>> ClaimFile::claim(std::uint64_t number) {
  if (!is_in_place()) HOST_TRY(open());
  number &= kMostNumber;
  const int error = lock_byte(file_->fd.get(), number, F_WRLCK);
  if (error == EAGAIN || error == EACCES) return std::optional<Claim>();
  if (error != 0)
    return Error{ErrorKind::Io, "cannot lock " + path().string() + ": " + std::strerror(error)};
  file_->claims.insert(number);
  return std::optional<Claim>(Claim(file_, number));
}

// Two hosts with different files would not see each other's claims.
bool ClaimFile::is_in_place() const {
  struct stat opened {
  }, there{};
  return file_ && ::fstat(file_->fd.get(), &opened) == 0 && ::lstat(path().c_str(), &there) == 0 &&
         opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
}

Result<void> ClaimFile::open() {
  HOST_TRY_ASSIGN(const UniqueFd folder, open_private_folder(database_.parent_path(), Make::Yes));
  UniqueFd fd(::openat(folder.get(), path().filename().c_str(),
                       O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!fd)
    return Error{ErrorKind::Io, "cannot open " + path().string() + ": " + std::strerror(errno)};
  HOST_TRY(check_private_file(folder.get(), path(), Others::None));
  if (!file_) file_ = std::make_shared<Open>();
  for (const std::uint64_t number : file_->claims) lock_byte(fd.get(), number, F_WRLCK);
  if (!file_->claims.empty()) file_->former.push_back(std::move(file_->fd));
  file_->fd = std::move(fd);
  return {};
}

}  // namespace host::store
