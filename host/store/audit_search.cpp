#include "store/audit_search.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/unique_fd.h"
#include "json/json.h"

namespace host::store {
namespace {

constexpr std::size_t kBlock = 64u << 10u;
constexpr std::size_t kLongestLine = 1u << 20u;  // what is longer is none of ours

std::string_view member(const json::Value& line, std::string_view name) {
  const json::Value* const found = json::find(line, name);
  return found && found->IsString() ? json::text(*found) : std::string_view();
}

bool is_of(const json::Value& line, const std::string& name) {
  return name.empty() || member(line, "tool") == name || member(line, "resource") == name ||
         member(line, "prompt") == name;
}

bool fits(const json::Value& line, const AuditQuery& query) {
  const std::string_view event = member(line, "event");
  return (query.principal.empty() || member(line, "principal") == query.principal) &&
         (query.outcome.empty() || member(line, "outcome") == query.outcome) &&
         (query.event.empty() || (event.empty() ? "call" : event) == query.event) &&
         is_of(line, query.tool);
}

Error io_error(const std::filesystem::path& file) {
  return {ErrorKind::Io, "audit file " + file.string() + ": " + std::strerror(errno)};
}

}  // namespace

Result<AuditFound> search_audit(const std::filesystem::path& file, const AuditQuery& query) {
  AuditFound found;
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd && errno == ENOENT) return found;
  struct stat about {};
  if (!fd || ::fstat(fd.get(), &about) != 0) return io_error(file);
  const auto size = static_cast<std::uint64_t>(std::max<off_t>(about.st_size, 0));
  if (query.before && *query.before > size) {
    return Error{ErrorKind::InvalidArgument,
                 "before: the audit ends in front of that, so it is another file now: look again "
                 "from its end"};
  }
  std::uint64_t at = query.before.value_or(size);
  std::uint64_t left = query.bytes;
  std::string tail;  // of the file, from `at`: what begins in front of it is not whole yet
  while (found.lines.size() < query.limit) {
    const std::size_t end = tail.empty() ? 0 : tail.size() - (tail.back() == '\n' ? 1 : 0);
    const std::size_t begin = end == 0 ? std::string::npos : tail.rfind('\n', end - 1);
    if (begin == std::string::npos && at > 0) {
      const std::size_t take = static_cast<std::size_t>(std::min<std::uint64_t>(at, kBlock));
      if (take > left || tail.size() > kLongestLine) {
        found.whole = false;
        found.older = take > left ? at + tail.size() : at;  // what is too long for a line is left
        return found;
      }
      std::string block(take, '\0');
      const ssize_t got = ::pread(fd.get(), block.data(), take, static_cast<off_t>(at - take));
      if (got != static_cast<ssize_t>(take)) return io_error(file);
      at -= take;
      left -= take;
      tail.insert(0, block);
      continue;
    }
    const std::size_t first = begin == std::string::npos ? 0 : begin + 1;
    const std::string_view line = std::string_view(tail).substr(first, end - first);
    const auto tree = json::parse(line);
    if (tree && tree->root().IsObject()) {
      const std::string_view time = member(tree->root(), "time");
      if (!time.empty() && time < query.since) return found;
      if (fits(tree->root(), query)) found.lines.emplace_back(line);
    }
    if (first == 0 && at == 0) return found;
    tail.resize(first);
  }
  found.older = at + tail.size();
  return found;
}

}  // namespace host::store
