// Functions for paths as text, and for real paths. No function fails: a path that cannot be looked
// up stays as written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace host::permission {

// The folders for relative paths and for `~`. Both absolute.
struct Place {
  std::string home;
  std::string cwd;
};

// The parts between slashes, without empty ones and ".".
std::vector<std::string_view> path_parts(std::string_view path);

// Expands `~` and `~/...`, and makes a relative path absolute from place.cwd. Does not normalise.
std::string absolute_path(std::string_view path, const Place& place);

// Removes ".", ".." and doubled slashes, as text only. Absolute in, absolute out.
std::string normal_path(std::string_view absolute);

// Follows symbolic links step by step, as the kernel would, also if the last parts do not exist or
// a link is broken. If that is impossible (no permission, a loop, a path that no system call
// accepts), the rest is appended as text. Blocks on the file system.
std::string real_path(std::string_view absolute);

// True if `path` is the folder or below it. Both must be normal.
bool is_inside(std::string_view path, std::string_view folder);

}  // namespace host::permission
