#include "write.h"

#include <cerrno>
#include <cstdio>
#include <string>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <toolpost/toolpost.hpp>

#include "text_file.h"

namespace {

// The folder, made where it is missing, with those above it.
Fd open_or_make_folder(const Roots& roots, const Place& folder) {
  Fd fd = roots.open(folder, O_RDONLY | O_DIRECTORY);
  if (fd) return fd;
  if (errno != ENOENT || folder.parts.empty()) throw toolpost::Error(roots.explain(folder, errno));
  const Fd above = open_or_make_folder(roots, folder.parent());
  if (::mkdirat(above.get(), folder.name().c_str(), 0777) != 0 && errno != EEXIST)
    throw toolpost::Error(folder.path() + " cannot be made: " + reason(errno));
  fd = roots.open(folder, O_RDONLY | O_DIRECTORY);
  if (!fd) throw toolpost::Error(roots.explain(folder, errno));
  return fd;
}

// Of no file that is there. A killed worker may leave a file, and a process id comes again: in a
// container with each start.
std::string passing_name() {
  unsigned long long random = 0;
  char name[48];
  if (::getrandom(&random, sizeof random, 0) != sizeof random)
    throw toolpost::Error("no random number: " + reason(errno));
  std::snprintf(name, sizeof name, ".toolpost-%016llx.part", random);
  return name;
}

// To the old file, the new group was one of the others.
mode_t mode_for_another_group(mode_t mode) {
  return (mode & 0707) | (mode & 0007) << 3;
}

// 0, or -1 and errno: EEXIST where a file has the new name. NFS, 9p and older FUSE servers know no
// flags of rename(); there a second name is given, and the old one taken.
int rename_without_replacing(int folder, const char* from, const char* to) {
  if (::renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (::linkat(folder, from, folder, to, 0) != 0) return -1;
  ::unlinkat(folder, from, 0);
  return 0;
}

// Under a passing name in the folder; gone unless it was given its real one.
class Temporary {
 public:
  // mode: of a new file, before the umask. What replaces another has only its own user until it
  // looks like it.
  Temporary(const Place& place, int folder, unsigned mode)
      : place_(place), folder_(folder), name_(passing_name()) {
    fd_ = Fd(::openat(folder_, name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                      mode));
    if (!fd_) refuse();
  }
  ~Temporary() {
    if (fd_) ::unlinkat(folder_, name_.c_str(), 0);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(fd_.get(), bytes.data(), bytes.size());
      if (count < 0 && errno != EINTR) refuse();
      if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  // Best effort for the owner: only root can give files away. Its user may give a file to each
  // group that the user is in.
  void look_like(const struct stat& other) {
    struct stat own {};
    if (::fstat(fd_.get(), &own) != 0) refuse();
    const bool same = own.st_uid == other.st_uid && own.st_gid == other.st_gid;
    const bool has_group = same || ::fchown(fd_.get(), other.st_uid, other.st_gid) == 0 ||
                           own.st_gid == other.st_gid ||
                           ::fchown(fd_.get(), static_cast<uid_t>(-1), other.st_gid) == 0;
    const mode_t mode = other.st_mode & 0777;
    if (::fchmod(fd_.get(), has_group ? mode : mode_for_another_group(mode)) != 0) refuse();
  }

  void sync() {
    if (::fsync(fd_.get()) != 0) refuse();
  }

  void publish(bool replace) {
    const char* to = place_.name().c_str();
    const int renamed = replace ? ::renameat(folder_, name_.c_str(), folder_, to)
                                : rename_without_replacing(folder_, name_.c_str(), to);
    if (renamed != 0) {
      if (errno == EEXIST)
        throw toolpost::Error(place_.path() + " has just been made by somebody else: read it");
      refuse();
    }
    fd_.reset();
    ::fsync(folder_);  // the name too; where that fails, the file is still whole
  }

 private:
  [[noreturn]] void refuse() const {
    throw toolpost::Error(place_.path() + " cannot be written: " + reason(errno));
  }

  const Place& place_;
  int folder_;
  std::string name_;
  Fd fd_;
};

}  // namespace

void write_whole(const Roots& roots, const Place& place, std::string_view bytes,
                 const Writing& how) {
  if (place.parts.empty()) throw toolpost::Error(place.path() + " is a folder");
  const Fd folder = open_or_make_folder(roots, place.parent());
  Temporary file(place, folder.get(), how.replaces ? 0600 : 0666);
  file.write(bytes);
  file.sync();
  if (how.replaces) {
    // As late as can be: what others write between this look and the rename is lost, a matter of
    // microseconds.
    const TextFile old = read_whole(roots, place, how.max_bytes);
    if (version_of(old.bytes) != *how.replaces)
      throw toolpost::Error(place.path() + " has changed since it was read: read it again");
    file.look_like(old.about);
  }
  file.publish(how.replaces.has_value());
}
