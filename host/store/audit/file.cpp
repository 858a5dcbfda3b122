#include "store/audit/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/process/private_folder.h"
#include "store/audit/parts.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarkBegin = "toolpost-audit 1 ";
constexpr std::size_t kMarkBytes = 192;  // one write, which a kill does not cut
constexpr std::size_t kReadBytes = 1u << 20u;
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

class Lock {
 public:
  explicit Lock(int fd) : fd_(fd) {
    while (::flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Lock() { ::flock(fd_, LOCK_UN); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int fd_;
};

std::string mark_text(const AuditMark& mark) {
  std::string text;
  text.reserve(kMarkBytes);
  text = kMarkBegin;
  for (const std::uint64_t number : {mark.number, mark.size, mark.began, mark.end.lines}) {
    char digits[24];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr) += ' ';
  }
  text += to_hex(mark.end.digest);
  text.resize(kMarkBytes - 1, ' ');
  return text += '\n';
}

bool take_number(std::string_view& text, std::uint64_t& number) {
  const char* const end = text.data() + text.size();
  const auto [stopped, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || stopped == end || *stopped != ' ') return false;
  text.remove_prefix(static_cast<std::size_t>(stopped - text.data()) + 1);
  return true;
}

bool take_digest(std::string_view text, Sha256& digest) {
  if (text.size() < 2 * digest.size()) return false;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const char* const at = text.data() + 2 * i;
    if (std::from_chars(at, at + 2, digest[i], 16).ptr != at + 2) return false;
  }
  return true;
}

// It does not change while the host runs.
uid_t own_user() {
  static const uid_t user = ::geteuid();
  return user;
}

// Beside what check_private_file() says of it in words.
bool is_private(const struct stat& about) {
  return S_ISREG(about.st_mode) && about.st_uid == own_user() &&
         (about.st_mode & kOthersWrite) == 0;
}

bool is(const auto& opened, const struct stat& named) {
  return opened.inode == named.st_ino && opened.device == named.st_dev;
}

// Like fstatat() for a name that is no link, but reads no times. Since Linux 6.13, a file whose
// times somebody has read gets an exact time at its next write, and later writes to other files get
// no earlier time. So if each line read the times, each write to the store's log would change the
// time of the log, and some file systems then write its inode to the disk at each sync.
bool look_at(int folder, const std::string& name, struct stat& named) {
  constexpr unsigned kAsked = STATX_TYPE | STATX_MODE | STATX_UID | STATX_INO | STATX_SIZE;
  struct statx seen {};
  if (::statx(folder, name.c_str(), AT_SYMLINK_NOFOLLOW, kAsked, &seen) != 0) return false;
  named.st_dev = ::makedev(seen.stx_dev_major, seen.stx_dev_minor);
  named.st_ino = seen.stx_ino;
  named.st_mode = seen.stx_mode;
  named.st_uid = seen.stx_uid;
  named.st_size = static_cast<off_t>(seen.stx_size);
  return true;
}

std::uint64_t size_of(int fd) {
  struct stat about {};
  return ::fstat(fd, &about) == 0 ? static_cast<std::uint64_t>(about.st_size) : 0;
}

}  // namespace

fs::path audit_mark_file(const fs::path& audit_file) {
  return audit_file.string() + ".chain";
}

std::optional<AuditMark> read_audit_mark(int fd) {
  std::string bytes(kMarkBytes, '\0');
  if (::pread(fd, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()) ||
      !bytes.starts_with(kMarkBegin))
    return std::nullopt;
  std::string_view text(bytes);
  text.remove_prefix(kMarkBegin.size());
  AuditMark mark;
  const bool good = take_number(text, mark.number) && take_number(text, mark.size) &&
                    take_number(text, mark.began) && take_number(text, mark.end.lines) &&
                    take_digest(text, mark.end.digest) && mark.number > 0;
  return good ? std::optional(mark) : std::nullopt;
}

AuditFile::AuditFile(fs::path file, const Clock& clock, AuditRotation rotation, SyncFile sync)
    : file_(std::move(file)),
      mark_path_(audit_mark_file(file_)),
      folder_path_(file_.has_parent_path() ? file_.parent_path() : fs::path(".")),
      name_(file_.filename()),
      mark_name_(mark_path_.filename()),
      clock_(clock),
      rotation_(rotation),
      sync_file_(std::move(sync)) {}

Result<std::unique_ptr<AuditFile>> AuditFile::open(const fs::path& file, const Clock& clock,
                                                   AuditRotation rotation, SyncFile sync) {
  std::unique_ptr<AuditFile> made(new AuditFile(file, clock, rotation, std::move(sync)));
  HOST_TRY(open_private_folder(file.parent_path(), Make::Yes, Above::Trusted));
  HOST_TRY(made->check());
  return made;
}

Error AuditFile::failed(int fault) const {
  return {ErrorKind::Io, "audit file " + file_.string() + ": " + std::strerror(fault) +
                             ": set audit.file to a path that the host may write, or to \"\""};
}

std::uint64_t AuditFile::now() const {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(clock_.wall().time_since_epoch())
          .count());
}

// All that is opened by name is looked at again each time: it may have been removed, replaced or
// opened to others since.
Result<void> AuditFile::ensure_folder() {
  struct stat named {};
  const bool same = folder_.fd && ::stat(folder_path_.c_str(), &named) == 0 && is(folder_, named) &&
                    (named.st_uid == own_user() || named.st_uid == 0) &&
                    (named.st_mode & kOthersWrite) == 0;
  if (same) return {};
  HOST_TRY_ASSIGN(UniqueFd fd, open_private_folder(folder_path_, Make::No, Above::Trusted));
  struct stat about {};
  if (::fstat(fd.get(), &about) != 0) return failed(errno);
  folder_ = {std::move(fd), about.st_dev, about.st_ino};
  mark_file_ = {};
  current_ = {};
  return {};
}

Result<void> AuditFile::ensure(Opened& opened, const fs::path& file, const std::string& name,
                               int flags) {
  struct stat named {};
  if (look_at(folder_.fd.get(), name, named)) {
    if (!is_private(named)) HOST_TRY(check_private_file(folder_.fd.get(), file, Others::MayRead));
    if (opened.fd && is(opened, named)) return {};
  }
  UniqueFd fd(::openat(folder_.fd.get(), name.c_str(),
                       flags | O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  const int fault = errno;
  struct stat about {};
  if (fd && ::fstat(fd.get(), &about) == 0 && is_private(about)) {
    opened = {std::move(fd), about.st_dev, about.st_ino};
    return {};
  }
  const auto mine = check_private_file(folder_.fd.get(), file, Others::MayRead);
  return !mine && mine.error().kind == ErrorKind::Denied ? mine : failed(fd ? EACCES : fault);
}

Result<void> AuditFile::ensure_mark() {
  const std::uint64_t before = mark_file_.inode;
  HOST_TRY(ensure(mark_file_, mark_path_, mark_name_, 0));
  if (mark_file_.inode != before) sync_ = nullptr;
  return {};
}

Result<void> AuditFile::ensure_current() {
  const std::uint64_t before = current_.inode;
  HOST_TRY(ensure(current_, file_, name_, O_APPEND));
  if (current_.inode == before) return {};
  sync_ = nullptr;
  if (before != 0) {
    log::warning("audit", "the audit file was renamed, removed or replaced: a new one is written",
                 {{"file", file_.string()}});
  }
  return {};
}

Result<void> AuditFile::check() {
  HOST_TRY(ensure_folder());
  HOST_TRY(ensure_mark());
  return ensure_current();
}

Result<std::shared_ptr<AuditSync>> AuditFile::sync() {
  if (sync_ && sync_->has_failed()) return failed(EIO);
  if (!sync_) {
    const auto again = [](const Opened& opened) {
      return UniqueFd(::fcntl(opened.fd.get(), F_DUPFD_CLOEXEC, 0));
    };
    // What opened the folder cannot sync it.
    UniqueFd folder(::openat(folder_.fd.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder) return failed(errno);
    UniqueFd file = again(current_);
    if (!file) return failed(errno);
    UniqueFd mark = again(mark_file_);
    if (!mark) return failed(errno);
    sync_ = std::make_shared<AuditSync>(file_, std::move(file), std::move(folder), std::move(mark),
                                        sync_file_);
  }
  return sync_;
}

Result<void> AuditFile::reopen() {
  sync_ = nullptr;
  current_ = {};
  mark_file_ = {};
  return append({});
}

Result<void> AuditFile::append(std::string_view lines, std::size_t* kept) {
  HOST_TRY(ensure_folder());
  HOST_TRY(ensure_mark());
  const Lock lock(mark_file_.fd.get());
  if (is_as_left()) {
    chain_ = AuditChain(mark_.end);
  } else {
    HOST_TRY(catch_up());
    HOST_TRY(rotate_when_due());
  }
  return write_lines(lines, kept);
}

// Nobody has appended since this object did, or rotated: the file still has its name, and the mark
// and the size that it had then. So most appends look at little.
bool AuditFile::is_as_left() const {
  if (noted_.empty() || within_a_line_ || is_due()) return false;
  char mark[kMarkBytes];
  if (::pread(mark_file_.fd.get(), mark, sizeof mark, 0) != static_cast<ssize_t>(sizeof mark) ||
      noted_ != std::string_view(mark, sizeof mark))
    return false;
  struct stat named {};
  return look_at(folder_.fd.get(), name_, named) && current_.fd && is(current_, named) &&
         is_private(named) && static_cast<std::uint64_t>(named.st_size) == mark_.size;
}

// To where other processes left it, or a kill.
Result<void> AuditFile::catch_up() {
  noted_.clear();
  const std::uint64_t left = mark_.number;
  const auto mark = read_audit_mark(mark_file_.fd.get());
  if (mark) {
    mark_ = *mark;
  } else if (!knows_mark_) {  // else it was removed: the chain goes on, so that this shows
    const auto parts = audit_parts(file_);
    mark_ = {parts.empty() ? 1 : parts.back().number + 1, 0, now(), {}};
  }
  knows_mark_ = true;
  chain_ = AuditChain(mark_.end);
  HOST_TRY(pass_rotated());
  if (mark_.number != left) current_ = {};  // another process has rotated the file
  HOST_TRY(ensure_current());
  const std::uint64_t size = size_of(current_.fd.get());
  within_a_line_ = false;
  if (size > mark_.size) return follow(current_.fd.get());
  if (size == mark_.size) return {};
  mark_.size = size;  // it was cut; the next line's number and digest show it
  char last = '\n';
  within_a_line_ = size > 0 &&
                   ::pread(current_.fd.get(), &last, 1, static_cast<off_t>(size - 1)) == 1 &&
                   last != '\n';
  return {};
}

// Whoever rotated was killed before he noted it.
Result<void> AuditFile::pass_rotated() {
  for (;;) {
    const fs::path part = audit_part(file_, mark_.number);
    const UniqueFd fd(::openat(folder_.fd.get(), part.filename().c_str(),
                               O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    std::error_code error;
    if (!fd && !fs::exists(compressed(part), error)) return {};
    if (fd && size_of(fd.get()) > mark_.size) HOST_TRY(follow(fd.get()));
    mark_ = {mark_.number + 1, 0, now(), chain_.end()};
  }
}

// Takes the lines behind the mark into the chain, as far as they are whole.
Result<void> AuditFile::follow(int fd) {
  std::string text;
  for (std::uint64_t at = mark_.size;;) {
    const std::size_t had = text.size();
    text.resize(had + kReadBytes);
    const ssize_t count = ::pread(fd, text.data() + had, kReadBytes, static_cast<off_t>(at));
    if (count < 0 && errno != EINTR) return failed(errno);
    text.resize(had + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) break;
    at += text.size() - had;
    std::size_t from = 0;
    for (std::size_t end = text.find('\n', had); end != std::string::npos;
         end = text.find('\n', from)) {
      const std::string_view line = std::string_view(text).substr(from, end - from);
      const auto link = read_audit_link(line);
      if (!link || !chain_.follow(*link)) chain_.take_loose(line);
      mark_.size += line.size() + 1;
      from = end + 1;
    }
    text.erase(0, from);
  }
  within_a_line_ = !text.empty();
  if (within_a_line_) {                       // it is ended by who writes next
    const auto link = read_audit_link(text);  // it lacks its line feed alone
    if (!link || !chain_.follow(*link)) chain_.take_loose(text);
    mark_.size += text.size();
  }
  return {};
}

bool AuditFile::is_due() const {
  return mark_.size >= rotation_.bytes ||
         now() >= mark_.began + static_cast<std::uint64_t>(rotation_.age.count());
}

Result<void> AuditFile::rotate_when_due() {
  if (!is_due() || mark_.size == 0 || within_a_line_) return {};
  const fs::path part = audit_part(file_, mark_.number);
  // Nothing of that name is there: pass_rotated() looked, under this lock.
  if (::renameat(folder_.fd.get(), file_.filename().c_str(), folder_.fd.get(),
                 part.filename().c_str()) != 0) {
    if (!cannot_rotate_) {
      log::error("store", "the audit file cannot be rotated, and grows on",
                 {{"file", part.string()}, {"error", std::strerror(errno)}});
    }
    cannot_rotate_ = true;
    return {};
  }
  cannot_rotate_ = false;
  current_ = {};
  HOST_TRY(ensure_current());
  mark_ = {mark_.number + 1, 0, now(), chain_.end()};
  return write_mark();
}

// What was written of it is half a line, or lines that would be written again. A file may be such
// that it only grows (chattr +a).
bool AuditFile::cut_back(std::uint64_t size) const {
  int code = 0;
  do {
    code = ::ftruncate(current_.fd.get(), static_cast<off_t>(size));
  } while (code != 0 && errno == EINTR);
  if (code == 0) return true;
  log::error("store", "the audit file has half a line and cannot be cut back",
             {{"file", file_.string()}, {"error", std::strerror(errno)}});
  return false;
}

// Where it fails the chain is read again, from the mark on, by whoever appends next: it takes in
// the lines that are whole, and ends one that is not.
Result<void> AuditFile::write_lines(std::string_view lines, std::size_t* kept) {
  struct End {
    std::size_t in_text;
    std::size_t in_lines;
  };
  std::vector<End> ends;  // of each line
  std::string text;
  text.reserve(lines.size() + lines.size() / 2);
  if (within_a_line_) text = "\n";
  for (std::size_t at = 0; at < lines.size();) {
    const std::string_view line = lines.substr(at, lines.find('\n', at) - at);
    at = std::min(lines.size(), at + line.size() + 1);
    if (!line.empty()) chain_.link(line, text);
    ends.push_back({text.size(), at});
  }
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(current_.fd.get(), text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int fault = errno;
      const bool stays = done > 0 && !cut_back(size_of(current_.fd.get()) - done);
      for (const End& end : ends) {
        if (stays && kept && end.in_text <= done) *kept = end.in_lines;
      }
      return failed(fault);
    }
    done += static_cast<std::size_t>(count);
  }
  mark_.size += text.size();
  mark_.end = chain_.end();
  within_a_line_ = false;
  return write_mark();
}

Result<void> AuditFile::write_mark() {
  noted_ = mark_text(mark_);
  if (::pwrite(mark_file_.fd.get(), noted_.data(), noted_.size(), 0) ==
      static_cast<ssize_t>(noted_.size()))
    return {};
  noted_.clear();
  // The lines are there: who appends next finds them behind the mark.
  log::error("store", "the end of the audit cannot be noted",
             {{"file", audit_mark_file(file_).string()}, {"error", std::strerror(errno)}});
  return {};
}

}  // namespace host::store
