#include "store/audit/parts.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <map>

#include "base/unique_fd.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCompressed = ".gz";
constexpr std::size_t kUnpackedBytes = 256u << 10u;
constexpr std::size_t kNumberDigits = 6;

Error part_error(const fs::path& file, const std::string& why) {
  return {ErrorKind::Io, "audit file " + file.string() + ": " + why};
}

// Of "audit.jsonl.000012.gz"; 0: it is no rotated file's name.
std::uint64_t number_of(std::string_view name, const std::string& audit_name) {
  if (!name.starts_with(audit_name + ".")) return 0;
  name.remove_prefix(audit_name.size() + 1);
  if (name.ends_with(kCompressed)) name.remove_suffix(kCompressed.size());
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [stopped, fault] = std::from_chars(name.data(), end, number);
  return fault == std::errc() && stopped == end && name.size() >= kNumberDigits ? number : 0;
}

Result<void> copy_compressed(int from, int to, const fs::path& part) {
  UniqueFd given(::dup(to));
  const gzFile stream = given ? ::gzdopen(given.get(), "wb6") : nullptr;
  if (!stream) return part_error(part, "cannot be compressed: out of memory");
  given.release();  // gzclose() closes it
  std::string block(kUnpackedBytes, '\0');
  bool good = true;
  for (;;) {
    const ssize_t count = ::read(from, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    good = count >= 0;
    if (count <= 0) break;
    good = ::gzwrite(stream, block.data(), static_cast<unsigned>(count)) == count;
    if (!good) break;
  }
  const int fault = errno;
  const bool closed = ::gzclose(stream) == Z_OK;
  if (good && closed && ::fsync(to) == 0) return {};
  return part_error(part, std::string("cannot be compressed: ") + std::strerror(fault));
}

}  // namespace

fs::path audit_part(const fs::path& audit_file, std::uint64_t number) {
  char text[32];
  std::snprintf(text, sizeof text, ".%06llu", static_cast<unsigned long long>(number));
  return audit_file.string() + text;
}

fs::path compressed(const fs::path& part) {
  return part.string() + std::string(kCompressed);
}

std::vector<AuditPart> audit_parts(const fs::path& audit_file) {
  std::map<std::uint64_t, AuditPart> found;
  std::error_code error;
  const fs::path folder = audit_file.has_parent_path() ? audit_file.parent_path() : fs::path(".");
  const std::string name = audit_file.filename().string();
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string other = at->path().filename().string();
    const std::uint64_t number = number_of(other, name);
    if (number == 0) continue;
    const bool is_compressed = other.ends_with(kCompressed);
    AuditPart& part = found[number];
    // The plain one is whole as long as it is there.
    if (part.number == 0 || !is_compressed) part = {number, folder / other, is_compressed};
  }
  std::vector<AuditPart> parts;
  for (auto& [number, part] : found) parts.push_back(std::move(part));
  return parts;
}

Result<void> compress_part(const fs::path& part) {
  const UniqueFd from(::open(part.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!from && errno == ENOENT) return {};
  struct stat opened {};
  if (!from || ::fstat(from.get(), &opened) != 0 || !S_ISREG(opened.st_mode))
    return part_error(part, "cannot be compressed: cannot be read");
  if (::flock(from.get(), LOCK_EX | LOCK_NB) != 0) return {};
  struct stat named {};
  if (::stat(part.c_str(), &named) != 0 || named.st_ino != opened.st_ino) return {};
  const fs::path fresh = compressed(part).string() + ".new";
  ::unlink(fresh.c_str());  // of who was killed; nobody else is at it
  const UniqueFd to(
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!to) return part_error(part, std::string("cannot be compressed: ") + std::strerror(errno));
  auto done = copy_compressed(from.get(), to.get(), part);
  if (done && ::rename(fresh.c_str(), compressed(part).c_str()) != 0)
    done = part_error(part, std::string("cannot be compressed: ") + std::strerror(errno));
  ::unlink(done ? part.c_str() : fresh.c_str());
  return done;
}

struct AuditReader::Stream {
  gzFile file;
  std::uint64_t left;  // bytes of a plain file that count
  bool plain;
};

AuditReader::AuditReader(fs::path file, std::unique_ptr<Stream> stream)
    : file_(std::move(file)), stream_(std::move(stream)) {}

AuditReader::AuditReader(AuditReader&& other) noexcept = default;

AuditReader::~AuditReader() {
  if (stream_) ::gzclose(stream_->file);
}

Result<AuditReader> AuditReader::open(const fs::path& file) {
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd && errno == ENOENT) return Error{ErrorKind::NotFound, file.string() + " is missing"};
  struct stat about {};
  if (!fd || ::fstat(fd.get(), &about) != 0) return part_error(file, std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return part_error(file, "is not a regular file");
  const gzFile stream = ::gzdopen(fd.get(), "rb");
  if (!stream) return part_error(file, "out of memory");
  fd.release();
  ::gzbuffer(stream, kUnpackedBytes);
  const bool plain = !file.string().ends_with(kCompressed);
  return AuditReader(file, std::make_unique<Stream>(
                               Stream{stream, static_cast<std::uint64_t>(about.st_size), plain}));
}

Result<bool> AuditReader::read_more() {
  buffer_.erase(0, at_);
  at_ = 0;
  std::size_t want = kUnpackedBytes;
  if (stream_->plain) want = std::min<std::uint64_t>(want, stream_->left);
  if (want == 0) return false;
  const std::size_t had = buffer_.size();
  buffer_.resize(had + want);
  const int count = ::gzread(stream_->file, buffer_.data() + had, static_cast<unsigned>(want));
  buffer_.resize(had + static_cast<std::size_t>(std::max(count, 0)));
  int fault = Z_OK;
  const char* const why = ::gzerror(stream_->file, &fault);
  if (count < 0 || fault == Z_BUF_ERROR)
    return part_error(file_, std::string("is damaged: ") + why);
  if (stream_->plain) stream_->left -= static_cast<std::uint64_t>(count);
  return count > 0;
}

Result<std::optional<AuditReader::Line>> AuditReader::next() {
  for (std::size_t from = at_;;) {
    const std::size_t end = buffer_.find('\n', from);
    if (end != std::string::npos) {
      const std::string_view text = std::string_view(buffer_).substr(at_, end - at_);
      at_ = end + 1;
      return std::optional<Line>({text, true});
    }
    const std::size_t searched = buffer_.size() - at_;
    HOST_TRY_ASSIGN(const bool more, read_more());
    if (more) {
      from = searched;  // what is left begins at 0 now
      continue;
    }
    if (buffer_.empty()) return std::optional<Line>();
    at_ = buffer_.size();
    return std::optional<Line>({buffer_, false});
  }
}

}  // namespace host::store
