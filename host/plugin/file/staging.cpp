#include "plugin/file/staging.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/digest.h"
#include "base/process/private_folder.h"
#include "plugin/file/elf_check.h"
#include "plugin/file/elf_lint.h"
#include "plugin/file/writer.h"

namespace host::plugin {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPrefix = "toolpost-plugins-";
constexpr const char* kLockName = "lock";
constexpr std::uint64_t kMostLibraryBytes = 512u << 20u;
constexpr int kMostTries = 100;

Error io_error(const std::string& what, const fs::path& path) {
  return Error{ErrorKind::Io, what + " " + path.string() + ": " + std::strerror(errno)};
}

bool unchanged(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_ino == b.st_ino && a.st_dev == b.st_dev &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

UniqueFd try_lock(const fs::path& folder, int flags) {
  UniqueFd lock(
      ::open((folder / kLockName).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
  if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) lock.reset();
  return lock;
}

// What removes old files from temporary folders (tmpfiles.d(5)) leaves a folder alone, with all
// that is in it, while somebody has a lock on the folder itself. A lock on a file in it keeps
// nothing.
UniqueFd keep_from_cleaners(const fs::path& folder) {
  UniqueFd kept(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (kept && ::flock(kept.get(), LOCK_EX | LOCK_NB) != 0) kept.reset();
  return kept;
}

// A folder whose lock can be taken belongs to nobody any more.
void remove_leftovers(const fs::path& below) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(below, error)) {
    if (!entry.path().filename().string().starts_with(kPrefix)) continue;
    struct stat info {};
    if (::lstat(entry.path().c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
        info.st_uid != ::geteuid())
      continue;
    // The lock is kept while the folder is removed: its maker may be about to take it.
    if (const UniqueFd lock = try_lock(entry.path(), 0)) fs::remove_all(entry.path(), error);
  }
}

Result<void> check_owner(const struct stat& info, const std::string& what) {
  if (info.st_uid != ::geteuid() && info.st_uid != 0) {
    return Error{
        ErrorKind::Denied,
        what + " belongs to another user: a file that other users can change is not loaded"};
  }
  if (info.st_mode & (S_IWGRP | S_IWOTH)) {
    return Error{ErrorKind::Denied,
                 what + " may be written by group or world: run chmod go-w on it"};
  }
  return {};
}

Result<void> write_all(int fd, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return io_error("cannot write", path);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

// The copy's SHA-256.
Result<std::string> copy(int from, int to, const fs::path& source, const fs::path& copied) {
  std::vector<char> buffer(256u << 10u);
  Sha256Stream digest;
  std::uint64_t total = 0;
  for (;;) {
    const ssize_t count = ::read(from, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return io_error("cannot read", source);
    if (count == 0) return to_hex(digest.finish());
    total += static_cast<std::uint64_t>(count);
    if (total > kMostLibraryBytes) return Error{ErrorKind::PluginFault, "is larger than 512 MiB"};
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
    digest.add(bytes);
    HOST_TRY(write_all(to, bytes, copied));
  }
}

Result<StagedFile> copy_checked(const fs::path& source, const fs::path& copied,
                                const Staging::WasLoaded& was_loaded, const Signers& signers) {
  const UniqueFd from(::open(source.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!from) return io_error("cannot open", source);
  struct stat before {};
  struct stat after {};
  if (::fstat(from.get(), &before) != 0) return io_error("cannot examine", source);
  if (!S_ISREG(before.st_mode)) return Error{ErrorKind::PluginFault, "is no regular file"};
  const UniqueFd to(::open(copied.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0500));
  if (!to) return io_error("cannot create", copied);
  HOST_TRY_ASSIGN(std::string hash, copy(from.get(), to.get(), source, copied));
  if (::fstat(from.get(), &after) != 0) return io_error("cannot examine", source);
  if (!unchanged(before, after)) return Error{ErrorKind::Unavailable, "changes while it is read"};
  // Where it is unknown: check_elf() refuses a library that is cut.
  if (writer_of(from.get()) == Writer::Some)
    return Error{ErrorKind::Unavailable,
                 "is still open for writing: the host reads it when it is closed"};
  HOST_TRY(check_origin(source, to.get(), hash, signers));
  HOST_TRY(check_elf(to.get(), static_cast<std::uint64_t>(before.st_size)));
  const bool known = was_loaded && was_loaded(hash);
  Lint lint = lint_plugin_file(to.get(), known ? History::LoadedBefore : History::New);
  if (const LintFinding* refusal = lint.refusal())
    return Error{ErrorKind::PluginFault, refusal->message};
  StagedFile staged{copied, std::move(hash), {}, std::move(lint.stays_loaded)};
  for (LintFinding& finding : lint.findings) staged.notes.push_back(std::move(finding.message));
  return staged;
}

}  // namespace

Result<void> check_writers(const fs::path& source) {
  std::error_code error;
  const fs::path real = fs::canonical(source, error);
  struct stat file {};
  struct stat folder {};
  if (error || ::stat(real.c_str(), &file) != 0 ||
      ::stat(real.parent_path().c_str(), &folder) != 0) {
    return io_error("cannot examine", source);
  }
  HOST_TRY(check_owner(file, "the file"));
  HOST_TRY(check_owner(folder, "the folder " + real.parent_path().string()));
  if (::stat(source.parent_path().c_str(), &folder) != 0) return io_error("cannot examine", source);
  return check_owner(folder, "the folder " + source.parent_path().string());
}

Result<Staging> Staging::open(const fs::path& below) {
  std::error_code error;
  const fs::path parent = below.empty() ? fs::temp_directory_path(error) : below;
  if (error) return Error{ErrorKind::Io, "there is no temporary directory: " + error.message()};
  fs::create_directories(parent, error);
  remove_leftovers(parent);
  // Before it is locked another host that starts may take it for a leftover, and remove it.
  for (int tries = 1;; ++tries) {
    std::string folder = (fs::absolute(parent) / (std::string(kPrefix) + "XXXXXX")).string();
    if (!::mkdtemp(folder.data())) return io_error("cannot make a folder below", parent);
    if (const auto mine = open_private_folder(folder, Make::No); !mine) {
      fs::remove(folder, error);
      return mine.error().within("copies of plugins would not be safe");
    }
    UniqueFd kept = keep_from_cleaners(folder);
    UniqueFd lock = try_lock(folder, O_CREAT | O_EXCL);
    Staging staging(folder, std::move(lock), std::move(kept));
    if (staging.lock_ && staging.kept_ && ::mkdir(staging.empty_folder().c_str(), 0500) == 0)
      return staging;
    const Error failed = io_error("cannot lock and fill", folder);
    fs::remove_all(folder, error);  // without a lock nobody else would
    if (tries == kMostTries) return failed;
  }
}

Staging::~Staging() {
  std::error_code ignored;
  if (lock_) fs::remove_all(folder_, ignored);
}

Result<StagedFile> Staging::stage(const fs::path& source, const std::string& name,
                                  std::uint32_t generation, const WasLoaded& was_loaded,
                                  const Signers& signers) const {
  HOST_TRY(check_writers(source));
  std::error_code error;
  const std::string build = name + '.' + std::to_string(generation);
  const fs::path fresh = folder_ / (build + "-new");
  if (::mkdir(fresh.c_str(), 0700) != 0) return io_error("cannot make", fresh);
  auto staged = copy_checked(source, fresh / source.filename(), was_loaded, signers);
  if (!staged) {
    fs::remove_all(fresh, error);
    return staged.error();
  }
  const fs::path final = folder_ / (build + '-' + staged->hash.substr(0, 12));
  fs::rename(fresh, final, error);
  if (error) {
    std::error_code ignored;
    fs::remove_all(fresh, ignored);  // the next try makes another
    return Error{ErrorKind::Io, "cannot rename " + fresh.string() + ": " + error.message()};
  }
  staged->file = final / source.filename();
  return staged;
}

Result<void> Staging::open_to_others(const StagedFile& file) const {
  for (const fs::path& folder : {folder_, file.file.parent_path()}) {
    if (::chmod(folder.c_str(), 0711) != 0) return io_error("cannot open to others", folder);
  }
  if (::chmod(file.file.c_str(), 0555) != 0) return io_error("cannot open to others", file.file);
  return {};
}

void Staging::remove(const StagedFile& file) {
  std::error_code ignored;
  if (!file.file.empty()) fs::remove_all(file.file.parent_path(), ignored);
}

}  // namespace host::plugin
