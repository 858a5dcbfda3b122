#include "plugin/lifecycle/side_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "config/document/document.h"
#include "plugin/file/staging.h"
#include "plugin/file/writer.h"

namespace host::plugin {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::nanoseconds kQuiet = std::chrono::seconds(2);

bool is_same(const struct stat& a, const struct stat& b) {
  const auto same = [](const timespec& one, const timespec& other) {
    return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
  };
  return a.st_ino == b.st_ino && a.st_dev == b.st_dev && a.st_size == b.st_size &&
         same(a.st_mtim, b.st_mtim) && same(a.st_ctim, b.st_ctim);
}

Error io_error() {
  return Error{ErrorKind::Io, std::strerror(errno)};
}

// For a file whose writers are unknown: what fstat() says once `seen` is kQuiet old. A process that
// writes the file in several steps changes it meanwhile.
Result<struct stat> stat_once_quiet(int fd, const struct stat& seen) {
  const auto changed = WallTime(std::chrono::seconds(seen.st_ctim.tv_sec) +
                                std::chrono::nanoseconds(seen.st_ctim.tv_nsec));
  const auto age =
      std::chrono::duration_cast<std::chrono::nanoseconds>(system_clock().wall() - changed);
  // The file system can have a clock of its own.
  if (age < kQuiet)
    std::this_thread::sleep_for(std::clamp<std::chrono::nanoseconds>(kQuiet - age, {}, kQuiet));
  struct stat now {};
  if (::fstat(fd, &now) != 0) return io_error();
  return now;
}

// The text of a file that nobody writes meanwhile.
Result<std::string> settled_text(const fs::path& file) {
  HOST_TRY(check_writers(file));
  struct stat before {};
  struct stat after {};
  if (::stat(file.c_str(), &before) != 0) return io_error();
  HOST_TRY_ASSIGN(std::string text, config::read_document(file, config::SideFile::kMostBytes));
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd || ::fstat(fd.get(), &after) != 0) return io_error();
  const Writer writer = writer_of(fd.get());
  if (writer == Writer::Unknown) {
    HOST_TRY_ASSIGN(after, stat_once_quiet(fd.get(), after));
  }
  if (!is_same(before, after) || writer == Writer::Some)
    return Error{ErrorKind::Unavailable, "is still being written: it is read once closed"};
  return text;
}

}  // namespace

fs::path side_file_of(const fs::path& library) {
  return fs::path(library).replace_extension(".toml");
}

Result<SideFilePtr> load_side_file(const fs::path& library) {
  const fs::path file = side_file_of(library);
  struct stat there {};
  // A link to nowhere is there, and cannot be read.
  if (::lstat(file.c_str(), &there) != 0) {
    if (errno == ENOENT) return SideFilePtr();
    return io_error().within(file.string());
  }
  auto text = settled_text(file);
  if (!text) return text.error().within(file.string());
  return config::parse_side_file(*std::move(text), file, environ);
}

}  // namespace host::plugin
