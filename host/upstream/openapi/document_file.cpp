#include "upstream/openapi/document_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/unique_fd.h"

namespace host::upstream::openapi {
namespace {

Error no_file(const std::string& file, const std::string& why) {
  return Error{ErrorKind::NotFound, "the document \"" + file + "\" " + why};
}

}  // namespace

FileStamp stamp_of(const std::string& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino, static_cast<std::uint64_t>(found.st_size),
          std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec};
}

// It may be a pipe, which must not make the host wait.
Result<std::string> read_document_file(const std::string& file, std::size_t most_bytes) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (fd.get() < 0) {
    if (errno == ENOENT) return no_file(file, "does not exist");
    return no_file(file, std::string("cannot be read: ") + std::strerror(errno));
  }
  struct stat found {};
  if (::fstat(fd.get(), &found) != 0 || !S_ISREG(found.st_mode)) return no_file(file, "is no file");
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    if (before > most_bytes) {
      return no_file(file, "has more than " + std::to_string(most_bytes) +
                               " bytes (limits.upstream_message_bytes)");
    }
    text.resize(before + (256u << 10u));
    const ssize_t count = ::read(fd.get(), text.data() + before, text.size() - before);
    text.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count == 0) return text;
    if (count < 0 && errno != EINTR)
      return no_file(file, std::string("cannot be read: ") + std::strerror(errno));
  }
}

}  // namespace host::upstream::openapi
