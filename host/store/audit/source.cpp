#include "store/audit/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace host::store {
namespace {

constexpr std::uint64_t kHeadBytes = 256;
constexpr std::uint64_t kBlockBytes = 1u << 20u;
constexpr std::uint64_t kLongestLine = 8u << 20u;  // what is longer stands in the file alone

Error source_error(const std::filesystem::path& file, const char* why) {
  return {ErrorKind::Io, "audit file " + file.string() + ": " + why};
}

}  // namespace

Result<std::optional<AuditSource>> AuditSource::open(const std::filesystem::path& file) {
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd && errno == ENOENT) return std::optional<AuditSource>();
  struct stat about {};
  if (!fd || ::fstat(fd.get(), &about) != 0) return source_error(file, std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return source_error(file, "is not a regular file");
  const auto size = static_cast<std::uint64_t>(std::max<off_t>(about.st_size, 0));
  return std::optional<AuditSource>(AuditSource(file, std::move(fd), size));
}

Result<std::string> AuditSource::bytes(std::uint64_t from, std::uint64_t count) const {
  std::string text(count, '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const ssize_t some =
        ::pread(fd_.get(), text.data() + got, text.size() - got, static_cast<off_t>(from + got));
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) return source_error(file_, std::strerror(errno));
    if (some == 0) break;  // it was cut meanwhile
    got += static_cast<std::size_t>(some);
  }
  text.resize(got);
  return text;
}

Result<AuditSource::Known> AuditSource::recognize(const AuditPlace& place) const {
  HOST_TRY_ASSIGN(const std::string head,
                  bytes(0, std::min<std::uint64_t>(size_, place.head.size())));
  if (place.offset == 0) return Known::Same;
  if (head.empty() || !place.head.starts_with(head)) return Known::Other;
  if (size_ < place.offset) return Known::Cut;
  HOST_TRY_ASSIGN(const std::string last, bytes(place.offset - 1, 1));
  return last == "\n" || place.in_long_line ? Known::Same : Known::Cut;
}

Result<AuditSource::Lines> AuditSource::read(AuditPlace& place) const {
  Lines lines;
  const std::uint64_t left = size_ - std::min(size_, place.offset);
  HOST_TRY_ASSIGN(lines.text, bytes(place.offset, std::min(left, kBlockBytes)));
  std::size_t end = lines.text.rfind('\n');
  if (end == std::string::npos && left > kBlockBytes) {
    HOST_TRY_ASSIGN(lines.text, bytes(place.offset, std::min(left, kLongestLine)));
    end = lines.text.rfind('\n');
  }
  lines.ended = lines.text.size() == left;
  if (end == std::string::npos) {
    const bool too_long = lines.text.size() >= kLongestLine;
    if (too_long || place.in_long_line) {
      lines.too_long = place.in_long_line ? 0 : 1;
      place.in_long_line = true;
      place.offset += lines.text.size();
    }
    lines.text.clear();
  } else {
    lines.text.resize(end + 1);
    place.offset += lines.text.size();
    if (place.in_long_line) lines.text.erase(0, lines.text.find('\n') + 1);
    place.in_long_line = false;
  }
  if (place.head.size() < kHeadBytes && place.head.size() < place.offset) {
    HOST_TRY_ASSIGN(place.head, bytes(0, std::min(kHeadBytes, place.offset)));
  }
  return lines;
}

}  // namespace host::store
