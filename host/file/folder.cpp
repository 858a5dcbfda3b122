#include "file/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/process/private_folder.h"

namespace host::file {
namespace {

constexpr char kOfPart = '.';  // between the id and what makes the name of a part its own

Error failed(const std::string& what, int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    return {ErrorKind::Unavailable, what + ": " + std::strerror(error) +
                                        ", so nothing of this file is kept: make room and upload "
                                        "it again"};
  }
  return {ErrorKind::Io, what + ": " + std::strerror(error)};
}

// Returns 0, or -1 and errno. If a file already has the name `to`, errno is EEXIST. NFS, 9p and
// older FUSE servers do not support flags of rename(), so there the function makes a link instead.
int rename_without_replacing(int folder, const std::string& from, const std::string& to) {
  if (::syscall(SYS_renameat2, folder, from.c_str(), folder, to.c_str(), RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (::linkat(folder, from.c_str(), folder, to.c_str(), 0) != 0) return -1;
  ::unlinkat(folder, from.c_str(), 0);
  return 0;
}

struct Unlocked {
  UniqueFd file;
  std::uint64_t inode = 0;
};

// Nothing: it is no regular file, or somebody writes it.
std::optional<Unlocked> open_unlocked(int folder, const std::string& name) {
  UniqueFd file(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat about {};
  if (!file || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
  if (::flock(file.get(), LOCK_SH | LOCK_NB) != 0) return std::nullopt;
  return Unlocked{std::move(file), about.st_ino};
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

Part::Part(int folder, std::string id, std::string name, UniqueFd file)
    : folder_(folder), id_(std::move(id)), name_(std::move(name)), file_(std::move(file)) {}

Part::~Part() {
  if (!name_.empty()) ::unlinkat(folder_, name_.c_str(), 0);
}

Result<void> Part::write(std::string_view piece) {
  hash_.add(piece);
  while (!piece.empty()) {
    const ssize_t count = ::write(file_.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("the file cannot be stored", errno);
    bytes_ += static_cast<std::uint64_t>(count);
    piece.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<bool> Part::finish(std::string_view sha256) {
  digest_ = hash_.finish();
  if (!sha256.empty() && sha256 != to_hex(digest_)) {
    return Error{ErrorKind::InvalidArgument,
                 "this is not the file that the URL is for: its SHA-256 is " + to_hex(digest_) +
                     ", not " + std::string(sha256)};
  }
  if (::fsync(file_.get()) != 0) return failed("the file cannot be stored", errno);
  if (rename_without_replacing(folder_, name_, id_) != 0) {
    if (errno == EEXIST) return false;
    return failed("the file cannot be stored", errno);
  }
  name_ = id_;
  if (::fsync(folder_) != 0) return failed("the file cannot be stored", errno);
  return true;
}

void Part::keep() {
  name_.clear();
  file_.reset();
}

Result<int> Folder::folder(bool make) {
  const std::lock_guard lock(guard_);
  if (!folder_) {
    auto opened = open_private_folder(path_, make ? Make::Yes : Make::No);
    if (!opened && opened.error().kind == ErrorKind::NotFound && !make) return -1;
    if (!opened) return opened.error().within("the folder of uploaded files");
    // One that can be synced and read; the checked one can not.
    folder_ = UniqueFd(::openat(opened->get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder_) return failed("the folder of uploaded files cannot be opened", errno);
  }
  return folder_.get();
}

Result<std::unique_ptr<Part>> Folder::begin(const std::string& id) {
  HOST_TRY_ASSIGN(const int folder, this->folder(true));
  std::string name = id + kOfPart + random_id();
  UniqueFd file(
      ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return failed("the file cannot be stored", errno);
  if (::flock(file.get(), LOCK_EX) != 0) return failed("the file cannot be stored", errno);
  auto part = std::make_unique<Part>(folder, id, std::move(name), std::move(file));
  return part;
}

Result<UniqueFd> Folder::open(const std::string& id) {
  HOST_TRY_ASSIGN(const int folder, this->folder(false));
  if (folder < 0) return Error{ErrorKind::NotFound, "the folder of uploaded files is missing"};
  UniqueFd file(::openat(folder, id.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (file) return file;
  const ErrorKind kind = errno == ENOENT ? ErrorKind::NotFound : ErrorKind::Io;
  return Error{kind, "the uploaded file " + id + ": " + std::strerror(errno)};
}

void Folder::remove(const std::string& id) {
  const auto folder = this->folder(false);
  if (!folder || *folder < 0) return;
  if (::unlinkat(*folder, id.c_str(), 0) != 0 && errno != ENOENT) {
    log::warning("file", "an uploaded file could not be removed",
                 {{"file", id}, {"reason", std::strerror(errno)}});
  }
}

Result<std::vector<Folder::Leftover>> Folder::unlocked() {
  std::vector<Leftover> found;
  HOST_TRY_ASSIGN(const int folder, this->folder(false));
  if (folder < 0) return found;
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, CloseFolder> entries(copy < 0 ? nullptr : ::fdopendir(copy));
  if (!entries) return failed("the folder of uploaded files cannot be read", errno);
  while (const dirent* const entry = ::readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name.starts_with('.')) continue;
    const auto file = open_unlocked(folder, name);
    if (file) found.push_back({name, name.substr(0, name.find(kOfPart)), file->inode});
  }
  return found;
}

void Folder::remove(const Leftover& leftover) {
  const auto folder = this->folder(false);
  if (!folder || *folder < 0) return;
  const auto file = open_unlocked(*folder, leftover.name);
  if (file && file->inode == leftover.inode) remove(leftover.name);
}

}  // namespace host::file
