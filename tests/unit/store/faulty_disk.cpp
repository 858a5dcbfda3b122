#include "unit/store/faulty_disk.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace host::store {
namespace {

// A write or a truncation, by what it took away.
struct Undo {
  sqlite3_int64 at = 0;
  std::string bytes;
  sqlite3_int64 size = 0;  // of the file before
};

struct Disk {
  sqlite3_vfs vfs{};
  sqlite3_vfs* real = nullptr;
  std::uint64_t until_fault = 0;  // 0: none is to come
  FaultyDisk::Fault fault = FaultyDisk::Fault::Once;
  bool failed = false;
  std::map<std::string, std::vector<Undo>> unsynced;

  bool dead() const { return failed && fault != FaultyDisk::Fault::Once; }
  bool fails() {
    if (dead()) return true;
    if (until_fault == 0 || --until_fault > 0) return false;
    failed = true;
    return true;
  }
  bool reads_fail() const { return failed && fault == FaultyDisk::Fault::Power; }
};
Disk disk;

struct File {
  sqlite3_file base;
  std::string* path;
  sqlite3_file* real;
};
File& of(sqlite3_file* file) {
  return *reinterpret_cast<File*>(file);
}
sqlite3_file* real_of(sqlite3_file* file) {
  return of(file).real;
}

void remember(sqlite3_file* file, sqlite3_int64 at, sqlite3_int64 count) {
  Undo undo;
  undo.at = at;
  real_of(file)->pMethods->xFileSize(real_of(file), &undo.size);
  undo.bytes.resize(static_cast<std::size_t>(std::clamp<sqlite3_int64>(undo.size - at, 0, count)));
  if (!undo.bytes.empty()) {
    real_of(file)->pMethods->xRead(real_of(file), undo.bytes.data(),
                                   static_cast<int>(undo.bytes.size()), at);
  }
  disk.unsynced[*of(file).path].push_back(std::move(undo));
}

int close(sqlite3_file* file) {
  const int code = real_of(file)->pMethods->xClose(real_of(file));
  delete of(file).path;
  return code;
}

int read(sqlite3_file* file, void* to, int count, sqlite3_int64 at) {
  if (disk.reads_fail()) return SQLITE_IOERR_READ;
  return real_of(file)->pMethods->xRead(real_of(file), to, count, at);
}

// What fails is written in part.
int write(sqlite3_file* file, const void* from, int count, sqlite3_int64 at) {
  if (disk.dead()) return SQLITE_IOERR_WRITE;
  remember(file, at, count);
  if (!disk.fails()) return real_of(file)->pMethods->xWrite(real_of(file), from, count, at);
  real_of(file)->pMethods->xWrite(real_of(file), from, count / 2, at);
  return disk.dead() ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (disk.fails()) return SQLITE_IOERR_TRUNCATE;
  sqlite3_int64 before = 0;
  real_of(file)->pMethods->xFileSize(real_of(file), &before);
  remember(file, size, std::max<sqlite3_int64>(before - size, 0));
  return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

int sync(sqlite3_file* file, int) {
  if (disk.fails()) return SQLITE_IOERR_FSYNC;
  disk.unsynced.erase(*of(file).path);
  return SQLITE_OK;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return real_of(file)->pMethods->xFileSize(real_of(file), size);
}
int lock(sqlite3_file* file, int kind) {
  return real_of(file)->pMethods->xLock(real_of(file), kind);
}
int unlock(sqlite3_file* file, int kind) {
  return real_of(file)->pMethods->xUnlock(real_of(file), kind);
}
int check_lock(sqlite3_file* file, int* held) {
  return real_of(file)->pMethods->xCheckReservedLock(real_of(file), held);
}
int control(sqlite3_file* file, int what, void* with) {
  return real_of(file)->pMethods->xFileControl(real_of(file), what, with);
}
int sector_size(sqlite3_file* file) {
  return real_of(file)->pMethods->xSectorSize(real_of(file));
}
int characteristics(sqlite3_file*) {
  return 0;  // no write is whole by itself, none stays in its order
}
int shm_map(sqlite3_file* file, int region, int size, int extend, void volatile** at) {
  return real_of(file)->pMethods->xShmMap(real_of(file), region, size, extend, at);
}
int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}
void shm_barrier(sqlite3_file* file) {
  real_of(file)->pMethods->xShmBarrier(real_of(file));
}
int shm_unmap(sqlite3_file* file, int forget) {
  return real_of(file)->pMethods->xShmUnmap(real_of(file), forget);
}

constexpr sqlite3_io_methods kMethods = {
    2,         close,      read,    write,       truncate,        sync,    file_size, lock,
    unlock,    check_lock, control, sector_size, characteristics, shm_map, shm_lock,  shm_barrier,
    shm_unmap, nullptr,    nullptr};

int open(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* given) {
  File& mine = of(file);
  mine.base.pMethods = nullptr;
  if (disk.fails()) return SQLITE_CANTOPEN;
  mine.real = reinterpret_cast<sqlite3_file*>(&mine + 1);
  const int code = disk.real->xOpen(disk.real, path, mine.real, flags, given);
  if (code != SQLITE_OK) return code;
  mine.path = new std::string(path ? path : "");
  mine.base.pMethods = &kMethods;
  return code;
}

int remove_file(sqlite3_vfs*, const char* path, int sync_folder) {
  if (disk.fails()) return SQLITE_IOERR_DELETE;
  disk.unsynced.erase(path);
  return disk.real->xDelete(disk.real, path, sync_folder);
}

// The last first. `keeps` says of each write whether it stays.
template <class Keeps>
void undo(const std::string& path, const std::vector<Undo>& writes, Keeps keeps) {
  const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  for (std::size_t i = writes.size(); fd && i-- > 0;) {
    if (keeps(i)) continue;
    const Undo& one = writes[i];
    if (::pwrite(fd.get(), one.bytes.data(), one.bytes.size(), one.at) < 0) return;
    const bool last = i + 1 == writes.size() || !keeps(i + 1);
    if (last && ::ftruncate(fd.get(), one.size) != 0) return;
  }
}

}  // namespace

FaultyDisk::FaultyDisk() {
  disk = Disk{};
  disk.real = sqlite3_vfs_find(nullptr);
  disk.vfs = *disk.real;
  disk.vfs.zName = "faulty";
  disk.vfs.szOsFile = static_cast<int>(sizeof(File)) + disk.real->szOsFile;
  disk.vfs.xOpen = open;
  disk.vfs.xDelete = remove_file;
  sqlite3_vfs_register(&disk.vfs, 1);
}

FaultyDisk::~FaultyDisk() {
  sqlite3_vfs_unregister(&disk.vfs);
  sqlite3_vfs_register(disk.real, 1);
}

void FaultyDisk::fail(std::uint64_t nth, Fault fault) {
  disk.until_fault = nth;
  disk.fault = fault;
  disk.failed = false;
}

bool FaultyDisk::has_failed() const {
  return disk.failed;
}

void FaultyDisk::mend() {
  disk.until_fault = 0;
  disk.failed = false;
}

void FaultyDisk::lose_unsynced(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (const auto& [path, writes] : disk.unsynced) {
    const std::uint64_t kept = random() % (writes.size() + 1);
    switch (seed % 3) {
      case 0:
        undo(path, writes, [](std::size_t) { return false; });
        break;
      case 1:
        undo(path, writes, [kept](std::size_t i) { return i < kept; });
        break;
      default:
        undo(path, writes, [any = random()](std::size_t i) { return (any >> (i % 64) & 1u) != 0; });
    }
  }
  disk.unsynced.clear();
}

}  // namespace host::store
