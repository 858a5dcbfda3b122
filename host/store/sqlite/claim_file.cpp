#include "store/sqlite/claim_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/process/private_folder.h"
#include "base/unique_fd.h"

namespace host::store {
namespace {

constexpr std::uint64_t kMostNumber = (std::uint64_t{1} << 62u) - 1;  // of a byte in a file
// Each open ClaimFile has a shared lock on this byte.
constexpr std::uint64_t kOpenByte = kMostNumber + 1;
constexpr std::size_t kMostFormer = 4;
constexpr int kMostRounds = 8;  // in which the file is replaced once more

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

bool is_open_elsewhere(int fd) {
  struct flock lock = byte_lock(kOpenByte, F_WRLCK);
  return ::fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

// 0, or the error.
int write_mark(int fd) {
  std::array<std::uint8_t, 16> bytes{};
  random_bytes(bytes);
  const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), 0);
  if (written == static_cast<ssize_t>(bytes.size())) return 0;
  return written < 0 ? errno : ENOSPC;
}

}  // namespace

struct ClaimFile::Open {
  explicit Open(std::filesystem::path database) : path(std::move(database)) { path += ".claims"; }

  Error failed(const char* what, int error) const;
  Result<void> open();
  bool is_in_place() const;
  Result<Mark> mark();
  int lock(std::uint64_t number);
  void unlock(std::uint64_t number);
  void drop_former();

  std::filesystem::path path;
  mutable std::mutex mutex;  // guards what is below it
  UniqueFd fd;               // empty until the first claim
  dev_t device = 0;          // of what `fd` has open, like the next
  ino_t inode = 0;
  std::uint64_t opened_files = 0;
  std::set<std::uint64_t> claims;
  // Files that were removed or replaced, and that other ClaimFiles still have open. Claims are of
  // these files too.
  std::vector<UniqueFd> former;
};

// Two hosts with different files would not see each other's claims.
bool ClaimFile::Open::is_in_place() const {
  struct stat there {};
  return fd && ::lstat(path.c_str(), &there) == 0 && there.st_dev == device &&
         there.st_ino == inode;
}

// A file that somebody has emptied gets a new mark.
Result<ClaimFile::Mark> ClaimFile::Open::mark() {
  Mark mark{opened_files, {}};
  for (int round = 0; round < kMostRounds; ++round) {
    const ssize_t got = ::pread(fd.get(), mark.bytes.data(), mark.bytes.size(), 0);
    if (got == static_cast<ssize_t>(mark.bytes.size())) return mark;
    const int error = got < 0 ? errno : write_mark(fd.get());
    if (error != 0) return failed("read or write", error);
  }
  return failed("read", EIO);
}

Error ClaimFile::Open::failed(const char* what, int error) const {
  return {ErrorKind::Io,
          std::string("cannot ") + what + ' ' + path.string() + ": " + std::strerror(error)};
}

// The shared lock comes before the mark, so that whoever is alone later has seen the mark.
Result<void> ClaimFile::Open::open() {
  HOST_TRY_ASSIGN(const UniqueFd folder, open_private_folder(path.parent_path(), Make::Yes));
  UniqueFd fresh(::openat(folder.get(), path.filename().c_str(),
                          O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!fresh) return failed("open", errno);
  HOST_TRY(check_private_file(folder.get(), path, Others::None));
  struct stat about {};
  if (::fstat(fresh.get(), &about) != 0) return failed("look at", errno);
  int error = lock_byte(fresh.get(), kOpenByte, F_RDLCK);
  if (error == 0) error = write_mark(fresh.get());
  if (error != 0) return failed("lock or write", error);
  for (const std::uint64_t number : claims) lock_byte(fresh.get(), number, F_WRLCK);
  if (fd) former.push_back(std::move(fd));
  fd = std::move(fresh);
  device = about.st_dev;
  inode = about.st_ino;
  ++opened_files;
  drop_former();
  return {};
}

// Those that only this ClaimFile still has open. Nobody else can open them any more.
void ClaimFile::Open::drop_former() {
  std::erase_if(former, [](const UniqueFd& one) { return !is_open_elsewhere(one.get()); });
  if (former.size() > kMostFormer) former.erase(former.begin());
}

// 0, or the error. On an error nothing is locked.
int ClaimFile::Open::lock(std::uint64_t number) {
  if (const int error = lock_byte(fd.get(), number, F_WRLCK); error != 0) return error;
  for (const UniqueFd& one : former) {
    const int error = lock_byte(one.get(), number, F_WRLCK);
    if (error == 0) continue;
    unlock(number);
    return error;
  }
  return 0;
}

void ClaimFile::Open::unlock(std::uint64_t number) {
  lock_byte(fd.get(), number, F_UNLCK);
  for (const UniqueFd& one : former) lock_byte(one.get(), number, F_UNLCK);
}

ClaimFile::ClaimFile(std::filesystem::path database)
    : open_(std::make_shared<Open>(std::move(database))) {}

ClaimFile::Claim::~Claim() {
  if (!file_) return;
  const std::lock_guard lock(file_->mutex);
  file_->unlock(number_);
  file_->claims.erase(number_);
}

// The file can be replaced between a look at its place and the lock, so the look comes after the
// lock.
Result<std::optional<ClaimFile::Claim>> ClaimFile::claim(std::uint64_t number) {
  number &= kMostNumber;
  const std::lock_guard lock(open_->mutex);
  for (int round = 0; round < kMostRounds; ++round) {
    const int error = open_->fd ? open_->lock(number) : 0;
    if (!open_->is_in_place()) {
      if (open_->fd && error == 0) open_->unlock(number);
      HOST_TRY(open_->open());
      continue;
    }
    if (error == EAGAIN || error == EACCES) return std::optional<Claim>();
    if (error != 0) return open_->failed("lock", error);
    const auto mark = open_->mark();
    if (!mark) open_->unlock(number);
    if (!mark) return mark.error();
    open_->claims.insert(number);
    return std::optional<Claim>(Claim(open_, number, *mark));
  }
  return open_->failed("open", ESTALE);
}

Result<void> ClaimFile::stay_in_place() {
  const std::lock_guard lock(open_->mutex);
  if (!open_->fd || open_->is_in_place()) return {};
  return open_->open();
}

bool ClaimFile::is_alone() const {
  const std::lock_guard lock(open_->mutex);
  if (!open_->fd || is_open_elsewhere(open_->fd.get())) return false;
  open_->drop_former();
  return open_->former.empty();
}

}  // namespace host::store
