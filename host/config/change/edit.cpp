#include "config/change/edit.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "config/document/document.h"
#include "config/document/node.h"

namespace host::config {
namespace {

namespace fs = std::filesystem;

// A replacement takes moments.
constexpr std::chrono::seconds kLockWithin{10};
constexpr std::chrono::milliseconds kLockAgain{10};

Error by_hand(std::string_view name, const std::string& why) {
  return {ErrorKind::InvalidArgument, "the section of upstream \"" + std::string(name) + "\" " +
                                          why + ": remove it from the file by hand"};
}

// The lines that nodes and keys begin in, without those of one node.
class Lines {
 public:
  explicit Lines(const Node* without) : without_(without) {}

  void add(const Node& node) {
    if (&node == without_) return;
    note(node.at);
    for (const Node& one : node.array) add(one);
    for (const Member& member : node.table) {
      if (&member.value != without_) note(member.at);
      add(member.value);
    }
  }

  // The first line after this one; the largest number: there is none.
  std::uint32_t after(std::uint32_t line) const {
    std::uint32_t next = std::numeric_limits<std::uint32_t>::max();
    for (const std::uint32_t one : lines_) {
      if (one > line) next = std::min(next, one);
    }
    return next;
  }
  std::uint32_t last() const {
    return lines_.empty() ? 0 : *std::max_element(lines_.begin(), lines_.end());
  }

 private:
  void note(const Position& at) { lines_.push_back(at.line); }

  const Node* const without_;
  std::vector<std::uint32_t> lines_;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));  // with its end
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

bool is_blank(std::string_view line) {
  return trimmed(line).empty();
}

std::string whole_text(const std::vector<std::string_view>& lines) {
  std::string out;
  for (const std::string_view line : lines) out += line;
  return out;
}

const Node* entry_of(const Node& root, std::string_view name) {
  const Node* const list = root.find("upstream");
  if (!list || list->kind != Node::Kind::Array) return nullptr;
  for (const Node& entry : list->array) {
    const Node* const own = entry.kind == Node::Kind::Table ? entry.find("name") : nullptr;
    if (own && own->kind == Node::Kind::Text && own->text == name) return &entry;
  }
  return nullptr;
}

Error io_error(const fs::path& file, const char* what) {
  return {ErrorKind::Io, file.string() + " " + what + ": " + std::strerror(errno)};
}

Result<void> write_all(int fd, std::string_view text, const fs::path& file) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return io_error(file, "cannot be written");
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

// A file beside the target, which is removed unless it takes the target's place.
class Draft {
 public:
  explicit Draft(const fs::path& target)
      : target_(target),
        name_(target.string() + ".XXXXXX"),
        fd_(::mkostemp(name_.data(), O_CLOEXEC)) {}
  ~Draft() {
    if (fd_) ::unlink(name_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  // `like`: mode and owner; null: those of a new file, for its user alone.
  Result<void> write(std::string_view text, const struct stat* like) {
    if (!fd_) return io_error(target_, "cannot be replaced in its folder");
    HOST_TRY(write_all(fd_.get(), text, target_));
    if (like && ::fchown(fd_.get(), like->st_uid, like->st_gid) != 0)
      return io_error(target_, "belongs to another user or group, which cannot be kept");
    if (like && ::fchmod(fd_.get(), like->st_mode & 07777) != 0)
      return io_error(target_, "has a mode that cannot be kept");
    if (::fsync(fd_.get()) != 0) return io_error(target_, "cannot be written");
    return {};
  }

  Result<void> take_place() {
    if (::rename(name_.c_str(), target_.c_str()) != 0)
      return io_error(target_, "cannot be replaced");
    fd_.reset();
    const UniqueFd folder(
        ::open(target_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder) ::fsync(folder.get());  // it may not be possible, as on some network file systems
    return {};
  }

 private:
  const fs::path target_;
  std::string name_;
  UniqueFd fd_;
};

// A lock of the folder's, because the file itself is replaced. Empty: the file system has no locks.
Result<UniqueFd> lock_folder(const fs::path& folder) {
  UniqueFd lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const SteadyTime end = steady_now() + kLockWithin;
  while (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return UniqueFd();
    if (steady_now() >= end) {
      return Error{ErrorKind::Unavailable,
                   "another process has locked the folder " + folder.string() + ": try again"};
    }
    std::this_thread::sleep_for(kLockAgain);
  }
  return lock;
}

Error changed_meanwhile(const fs::path& file) {
  return {ErrorKind::Unavailable,
          file.string() + " was changed by somebody else meanwhile: try again"};
}

}  // namespace

std::string with_upstream(std::string_view text, const Upstream& upstream) {
  std::string out(text);
  if (!out.empty() && out.back() != '\n') out += '\n';
  std::string section = (out.empty() ? "" : "\n") + section_of(upstream);
  section.pop_back();  // the empty line after it
  if (text.find("\r\n") == std::string_view::npos) return out + section;
  for (const char c : section) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return out;
}

Result<std::string> without_upstream(std::string_view text, std::string_view name) {
  TomlError error;
  const auto root = parse_toml(text, error);
  if (!root) return Error{ErrorKind::InvalidArgument, "the file is not TOML: " + error.message};
  const Node* const entry = entry_of(*root, name);
  if (!entry)
    return Error{ErrorKind::NotFound, "no [[upstream]] is named \"" + std::string(name) + "\""};
  std::vector<std::string_view> lines = lines_of(text);
  const std::size_t begin = entry->at.line - std::size_t{1};
  if (begin >= lines.size() || !trimmed(lines[begin]).starts_with("[["))
    return by_hand(name, "is not written as [[upstream]]");
  Lines others(entry);
  others.add(*root);
  Lines own(nullptr);
  own.add(*entry);
  const std::uint32_t next = others.after(entry->at.line);
  if (own.last() >= next) return by_hand(name, "is in several places");
  std::size_t end = std::min<std::size_t>(next - std::size_t{1}, lines.size());
  while (is_blank(lines[end - 1]) || trimmed(lines[end - 1]).starts_with('#')) --end;
  const bool is_after_blank = begin > 0 && is_blank(lines[begin - 1]);
  const bool is_last =
      std::all_of(lines.begin() + static_cast<std::ptrdiff_t>(end), lines.end(), is_blank);
  std::size_t first = begin;
  if (is_last) {  // an empty line parted it from what is before it
    end = lines.size();
    if (is_after_blank) --first;
  } else if ((is_after_blank || begin == 0) && is_blank(lines[end])) {
    ++end;
  }
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(first),
              lines.begin() + static_cast<std::ptrdiff_t>(end));
  return whole_text(lines);
}

Result<void> replace_text(const fs::path& file, std::string_view before, std::string_view after) {
  std::error_code error;
  const bool is_new = !fs::exists(fs::symlink_status(file, error));
  const fs::path target = is_new ? file : fs::canonical(file, error);
  if (error && !is_new) return Error{ErrorKind::Io, file.string() + " leads to no file"};
  struct stat about {};
  if (!is_new && ::stat(target.c_str(), &about) != 0) return io_error(target, "cannot be examined");
  if (is_new) fs::create_directories(target.parent_path(), error);
  Draft draft(target);
  HOST_TRY(draft.write(after, is_new ? nullptr : &about));
  // From the comparison on, no other command replaces the file.
  HOST_TRY_ASSIGN(const UniqueFd lock, lock_folder(target.parent_path()));
  if (is_new && fs::exists(fs::symlink_status(target, error))) return changed_meanwhile(target);
  if (!is_new) {
    HOST_TRY_ASSIGN(const std::string now, read_document(target, kMostConfigBytes));
    if (now != before) return changed_meanwhile(target);
  }
  return draft.take_place();
}

}  // namespace host::config
