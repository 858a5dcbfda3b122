#include "config/document/document.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <tuple>

#include "base/unique_fd.h"

namespace host::config {
namespace {

constexpr std::uint32_t kMaxDepth = 32;

Error io_error(const char* what) {
  return Error{ErrorKind::Io, std::string(what) + ": " + std::strerror(errno)};
}

// Settings go through JSON's limits later; a nest that deep is a slip here, with a line to show.
bool too_deep(const Node& node, std::uint32_t left, Position& at) {
  if (left == 0) {
    at = node.at;
    return true;
  }
  for (const Node& value : node.array) {
    if (too_deep(value, left - 1, at)) return true;
  }
  for (const Member& member : node.table) {
    if (too_deep(member.value, left - 1, at)) return true;
  }
  return false;
}

std::string in_words(std::size_t bytes) {
  constexpr std::size_t kMebibyte = 1u << 20u;
  return bytes % kMebibyte == 0 ? std::to_string(bytes / kMebibyte) + " MiB"
                                : std::to_string(bytes >> 10u) + " KiB";
}

}  // namespace

// O_NONBLOCK: a FIFO under the name must not hold the start.
Result<std::string> read_document(const std::filesystem::path& file, std::size_t most) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return io_error("cannot be opened");
  struct stat about {};
  if (::fstat(fd.get(), &about) != 0) return io_error("cannot be examined");
  if (!S_ISREG(about.st_mode)) return Error{ErrorKind::Io, "is not a regular file"};
  const auto size = static_cast<std::size_t>(about.st_size);
  std::string text(std::min(size, most) + 1, '\0');
  std::size_t used = 0;
  while (used < text.size()) {
    const ssize_t got = ::read(fd.get(), text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error("cannot be read");
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used == text.size()) text.resize(std::min(2 * used, most + 1));  // it grew
  }
  if (used > most) return Error{ErrorKind::Io, "is larger than " + in_words(most)};
  text.resize(used);
  return text;
}

std::optional<Node> parse_document(std::string_view text, Report& report) {
  TomlError error;
  auto root = parse_toml(text, error);
  if (!root) {
    report.error(error.at, "C002", error.message);
    return std::nullopt;
  }
  Position deep;
  if (!too_deep(*root, kMaxDepth, deep)) return root;
  report.error(deep, "C002", "tables and lists nest deeper than " + std::to_string(kMaxDepth));
  return std::nullopt;
}

void sort_by_place(std::vector<Diagnostic>& diagnostics) {
  std::sort(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
}

}  // namespace host::config
