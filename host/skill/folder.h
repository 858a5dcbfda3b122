// Reading below a folder that strangers may have filled: no path leads out of it, no symlink is
// followed, nothing but regular files is read, and nothing blocks.
//
// A hard link has no target to look at. A file with more than one link is read only if it has the
// owner of the folder: another user's file that was linked in here stays unread.
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
inline constexpr std::int64_t kSettlesIn =
    100'000'000;  // ns; file times advance in steps of some ms

constexpr std::int64_t nanoseconds(const timespec& time) {
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

// How a path is kept inside: by openat2, or component by component where the kernel has no openat2.
enum class Beneath { ByKernel, ByComponents };

// Opens `path` below `folder` for reading. errno says why not.
UniqueFd open_beneath(int folder, const std::string& path, int flags,
                      Beneath how = Beneath::ByKernel);

// Whether `about` is of a file that was linked in from another owner. `folder`: of the folder.
bool is_linked_in(const struct stat& about, const struct stat& folder);

// A regular file of at most `limit` bytes.
Result<std::string> read_beneath(int folder, const std::string& path, std::size_t limit,
                                 Beneath how = Beneath::ByKernel);

// Relative, without empty, `.` or `..` components and without hidden ones; else why not.
Result<void> check_relative(std::string_view path);

struct FileEntry {
  std::string path;  // relative to the folder, with `/`
  std::uint64_t size = 0;
  // What changes with the file.
  std::uint64_t inode = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const FileEntry&) const = default;
};

struct FileList {
  std::vector<FileEntry> files;  // in the order of their paths
  bool complete = true;          // false: the bounds on depth or number left some out

  bool operator==(const FileList&) const = default;
};

// Regular files below `folder`. Hidden names, symlinks, files that were linked in and names that
// are not UTF-8 are left out.
FileList list_files(int folder);

}  // namespace host::skill
