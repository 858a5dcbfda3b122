// Reads files below a folder whose contents are untrusted. No file outside of the folder is ever
// read. The code follows no symlink, reads only regular files, and never blocks on a read.
//
// A hard link in the folder could name another user's file. A file with more than one hard link is
// therefore read only if the file has the same owner as the folder.
#pragma once

#include <dirent.h>
#include <sys/stat.h>

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace host::skill {

inline constexpr std::uint32_t kMaxFolderDepth = 6;
inline constexpr std::size_t kMaxFiles = 512;
// A time in nanoseconds. File times advance in steps of some milliseconds. So if a file is read
// within some milliseconds after a change, the next change can have the same file times.
inline constexpr std::int64_t kSettlesIn = 100'000'000;

constexpr std::int64_t nanoseconds(const timespec& time) {
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

// The enumeration Beneath says how open_beneath() keeps a path inside the folder. With openat2, the
// kernel checks the path. Without openat2, the code opens the path component by component.
enum class Beneath { ByKernel, ByComponents };

// Opens `path` below `folder` for reading. After a failure, errno gives the reason.
UniqueFd open_beneath(int folder, const std::string& path, int flags,
                      Beneath how = Beneath::ByKernel);

// Returns true if `about` describes a file of another owner that was linked into the folder.
// `folder` is the result of stat() for the folder.
bool is_linked_in(const struct stat& about, const struct stat& folder);

// Reads a regular file of at most `limit` bytes.
Result<std::string> read_beneath(int folder, const std::string& path, std::size_t limit,
                                 Beneath how = Beneath::ByKernel);

// Checks that the path is relative, without empty, `.`, `..` or hidden components. An Error says
// what is wrong with the path.
Result<void> check_relative(std::string_view path);

struct FileEntry {
  std::string path;  // relative to the folder, with `/`
  std::uint64_t size = 0;
  // The values of the next members change when the file changes.
  std::uint64_t inode = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const FileEntry&) const = default;
};

struct FileList {
  std::vector<FileEntry> files;  // the files, ordered by path
  bool complete = true;          // false: the limit of depth or of number was reached

  bool operator==(const FileList&) const = default;
};

// Lists the regular files below `folder`, without hidden names, symlinks, files that were linked in
// and names that are not UTF-8.
FileList list_files(int folder);

}  // namespace host::skill
