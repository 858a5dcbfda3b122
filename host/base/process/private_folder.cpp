#include "base/process/private_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <deque>
#include <string>
#include <utility>

namespace host {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // the kernel's limit
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

std::string mode_text(mode_t mode) {
  char text[16];
  std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode & 07777u));
  return text;
}

Error io_error(const fs::path& path, int fault) {
  return {fault == ENOENT ? ErrorKind::NotFound : ErrorKind::Io,
          path.string() + ": " + std::strerror(fault)};
}

bool is_own(const struct stat& about) {
  return about.st_uid == ::geteuid() || about.st_uid == 0;
}

Error foreign(const fs::path& path, const struct stat& about) {
  return {ErrorKind::Denied,
          path.string() + " belongs to user " + std::to_string(about.st_uid) +
              ", and toolpost runs as user " + std::to_string(::geteuid()) +
              ": run toolpost as that user, or choose a folder of your own in the configuration"};
}

// One walk from the root to a folder.
class Walk {
 public:
  Walk(Make make, Above above) : make_(make), above_(above) {}

  Result<UniqueFd> to(const fs::path& folder) {
    std::error_code error;
    HOST_TRY(from_root(fs::absolute(folder, error)));
    while (!left_.empty()) {
      const std::string name = std::move(left_.front());
      left_.pop_front();
      if (!name.empty() && name != "." && name != "/") HOST_TRY(step(name));
    }
    HOST_TRY(check_folder(true));
    return std::move(at_);
  }

 private:
  Result<void> from_root(const fs::path& way) {
    at_ = UniqueFd(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    path_ = "/";
    if (!at_) return io_error(path_, errno);
    left_.insert(left_.begin(), way.begin(), way.end());
    return {};
  }

  Result<void> step(const std::string& name) {
    HOST_TRY(check_folder(false));
    const fs::path path = path_ / name;
    UniqueFd next = open_beneath(name);
    if (!next && errno == ENOENT && make_ == Make::Yes) {
      if (::mkdirat(at_.get(), name.c_str(), 0700) != 0 && errno != EEXIST)
        return io_error(path, errno);
      next = open_beneath(name);
    }
    if (!next) return io_error(path, errno);
    struct stat about {};
    if (::fstat(next.get(), &about) != 0) return io_error(path, errno);
    if (S_ISLNK(about.st_mode)) return follow(next.get(), path, about);
    if (!S_ISDIR(about.st_mode)) return io_error(path, ENOTDIR);
    at_ = std::move(next);
    path_ = name == ".." ? path_.parent_path() : path;
    return {};
  }

  UniqueFd open_beneath(const std::string& name) const {
    return UniqueFd(::openat(at_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  }

  // A link is only as trustworthy as its owner, who can change its target at any time.
  Result<void> follow(int link, const fs::path& path, const struct stat& about) {
    if (above_ == Above::Checked && !is_own(about)) return foreign(path, about);
    if (++links_ > kMostLinks) return io_error(path, ELOOP);
    std::string target(PATH_MAX, '\0');
    const ssize_t length = ::readlinkat(link, "", target.data(), target.size());
    if (length < 0) return io_error(path, errno);
    target.resize(static_cast<std::size_t>(length));
    const fs::path way(target);
    if (way.is_absolute()) return from_root(way);
    left_.insert(left_.begin(), way.begin(), way.end());
    return {};
  }

  Result<void> check_folder(bool last) const {
    if (!last && above_ == Above::Trusted) return {};
    struct stat about {};
    if (::fstat(at_.get(), &about) != 0) return io_error(path_, errno);
    if (!is_own(about)) return foreign(path_, about);
    const bool shared = (about.st_mode & kOthersWrite) != 0;
    // In a sticky folder others may add names, but neither rename nor remove ours.
    if (!shared || (!last && (about.st_mode & S_ISVTX) != 0)) return {};
    return Error{ErrorKind::Denied,
                 "other users may write to the folder " + path_.string() + " (mode " +
                     mode_text(about.st_mode) +
                     "), so nothing in it can be trusted: check what is in it, then run `chmod "
                     "go-w " +
                     path_.string() + "`"};
  }

  const Make make_;
  const Above above_;
  UniqueFd at_;
  fs::path path_;
  std::deque<std::string> left_;
  int links_ = 0;
};

}  // namespace

Result<UniqueFd> open_private_folder(const fs::path& folder, Make make, Above above) {
  return Walk(make, above).to(folder.empty() ? "." : folder);
}

Result<void> check_private_file(int folder, const fs::path& file, Others others) {
  struct stat about {};
  if (::fstatat(folder, file.filename().c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0)
    return io_error(file, errno);
  if (S_ISLNK(about.st_mode)) {
    return Error{ErrorKind::Denied,
                 file.string() + " is a symbolic link: set the path of the file itself"};
  }
  if (!S_ISREG(about.st_mode))
    return Error{ErrorKind::Denied, file.string() + " is not a regular file: remove it"};
  if (about.st_uid != ::geteuid()) return foreign(file, about);
  const mode_t forbidden = others == Others::None ? S_IRWXG | S_IRWXO : kOthersWrite;
  if ((about.st_mode & forbidden) == 0) return {};
  return Error{ErrorKind::Denied,
               "other users may " +
                   std::string((about.st_mode & kOthersWrite) != 0 ? "write to" : "read") +
                   " the file " + file.string() + " (mode " + mode_text(about.st_mode) +
                   "): check it, then run `chmod 600 " + file.string() + "`"};
}

Result<void> check_private_place(const fs::path& file, Others others, Above above) {
  if (file.empty()) return {};
  const auto folder = open_private_folder(file.parent_path(), Make::No, above);
  const Result<void> checked =
      folder ? check_private_file(folder->get(), file, others) : Result<void>(folder.error());
  if (checked || checked.error().kind == ErrorKind::NotFound) return {};
  return checked;
}

}  // namespace host
