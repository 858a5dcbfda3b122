#include "skill/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/text/encoding.h"

namespace host::skill {
namespace {

constexpr std::size_t kMaxEntries = 4096;  // looked at below one skill, of all kinds
constexpr int kCommonFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW;

UniqueFd open_by_kernel(int folder, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  for (int attempt = 0; attempt < 8; ++attempt) {
    const long fd = ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
    // EAGAIN: something was renamed meanwhile, and the kernel could not vouch for the path.
    if (fd >= 0 || errno != EAGAIN) return UniqueFd(static_cast<int>(fd));
  }
  return {};
}

UniqueFd open_by_components(int folder, std::string_view path, int flags) {
  UniqueFd at;
  for (;;) {
    const std::size_t slash = path.find('/');
    const std::string component(path.substr(0, slash));
    if (component.empty() || component == "..") {
      errno = EXDEV;
      return {};
    }
    const bool last = slash == std::string_view::npos;
    const int from = at ? at.get() : folder;
    UniqueFd next(::openat(from, component.c_str(), last ? flags : (kCommonFlags | O_DIRECTORY)));
    if (!next || last) return next;
    at = std::move(next);
    path.remove_prefix(slash + 1);
  }
}

std::string reason(int code) {
  if (code == ELOOP) return "a symbolic link is on the way, and those are not followed";
  if (code == EXDEV) return "it leads out of the folder";
  return std::strerror(code);
}

// A walk in depth, bounded in every direction.
class Walk {
 public:
  FileList run(int folder) {
    if (::fstat(folder, &root_) != 0) return {{}, false};
    look_at(UniqueFd(::openat(folder, ".", kCommonFlags | O_DIRECTORY)), "", 1);
    std::sort(list_.files.begin(), list_.files.end(),
              [](const FileEntry& a, const FileEntry& b) { return a.path < b.path; });
    return std::move(list_);
  }

 private:
  void look_at(UniqueFd folder, const std::string& prefix, std::uint32_t depth) {
    if (!folder) return;
    const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(folder.release()));
    if (!directory) return;
    while (const dirent* entry = ::readdir(directory.get())) {
      const std::string_view name(entry->d_name);
      if (name.starts_with('.') || !is_utf8(name)) continue;
      if (++entries_ > kMaxEntries || list_.files.size() >= kMaxFiles) {
        list_.complete = false;
        return;
      }
      take(::dirfd(directory.get()), entry->d_name, prefix, depth);
    }
  }

  void take(int folder, const char* name, const std::string& prefix, std::uint32_t depth) {
    struct stat about {};
    if (::fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (S_ISREG(about.st_mode)) {
      if (is_linked_in(about, root_)) return;
      list_.files.push_back({prefix + name, static_cast<std::uint64_t>(about.st_size), about.st_ino,
                             nanoseconds(about.st_mtim), nanoseconds(about.st_ctim)});
    } else if (S_ISDIR(about.st_mode) && depth >= kMaxFolderDepth) {
      list_.complete = false;
    } else if (S_ISDIR(about.st_mode)) {
      look_at(UniqueFd(::openat(folder, name, kCommonFlags | O_DIRECTORY)), prefix + name + "/",
              depth + 1);
    }
  }

  FileList list_;
  struct stat root_ {};
  std::size_t entries_ = 0;
};

}  // namespace

UniqueFd open_beneath(int folder, const std::string& path, int flags, Beneath how) {
  flags |= kCommonFlags;
  if (how == Beneath::ByKernel) {
    UniqueFd fd = open_by_kernel(folder, path, flags);
    // ENOSYS: a kernel before 5.6. EPERM: a sandbox that does not know the call.
    if (fd || (errno != ENOSYS && errno != EPERM)) return fd;
  }
  return open_by_components(folder, path, flags);
}

bool is_linked_in(const struct stat& about, const struct stat& folder) {
  return about.st_nlink > 1 && about.st_uid != folder.st_uid;
}

Result<std::string> read_beneath(int folder, const std::string& path, std::size_t limit,
                                 Beneath how) {
  const UniqueFd fd = open_beneath(folder, path, 0, how);
  if (!fd)
    return Error{errno == ENOENT ? ErrorKind::NotFound : ErrorKind::Io,
                 "cannot be opened: " + reason(errno)};
  struct stat about {};
  if (::fstat(fd.get(), &about) != 0) return Error{ErrorKind::Io, reason(errno)};
  if (!S_ISREG(about.st_mode)) return Error{ErrorKind::Io, "is not a regular file"};
  struct stat root {};
  if (::fstat(folder, &root) != 0) return Error{ErrorKind::Io, reason(errno)};
  if (is_linked_in(about, root)) {
    return Error{ErrorKind::Io,
                 "is a hard link to a file of another user than the skill's folder: copy the file"};
  }
  const Error too_large{ErrorKind::InvalidArgument,
                        "is larger than " + std::to_string(limit) + " bytes"};
  if (static_cast<std::uint64_t>(about.st_size) > limit) return too_large;
  std::string bytes;
  std::size_t used = 0;
  for (;;) {  // it may have grown since: one byte beyond the limit tells
    bytes.resize(
        std::min(limit + 1,
                 std::max<std::size_t>(used + 4096, static_cast<std::size_t>(about.st_size) + 1)));
    const ssize_t got = ::read(fd.get(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{ErrorKind::Io, "cannot be read: " + reason(errno)};
    used += static_cast<std::size_t>(got);
    if (got == 0) break;
    if (used > limit) return too_large;
  }
  bytes.resize(used);
  return bytes;
}

Result<void> check_relative(std::string_view path) {
  const auto refuse = [](const char* why) { return Error{ErrorKind::InvalidArgument, why}; };
  if (path.empty() || path.size() > 1024) return refuse("a path has 1 to 1024 bytes");
  if (path.find('\0') != std::string_view::npos) return refuse("a path has no NUL character");
  if (path.front() == '/') return refuse("a path is relative to the skill's folder");
  for (;;) {
    const std::size_t slash = path.find('/');
    const std::string_view component = path.substr(0, slash);
    if (component.empty() || component == "." || component == "..") {
      return refuse("a path has no empty part, no \".\" and no \"..\"");
    }
    if (component.front() == '.') return refuse("hidden files are not served");
    if (slash == std::string_view::npos) return {};
    path.remove_prefix(slash + 1);
  }
}

FileList list_files(int folder) {
  return Walk().run(folder);
}

}  // namespace host::skill
