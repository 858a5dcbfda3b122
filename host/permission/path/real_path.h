// Declares functions that work on paths as text, and on real paths. No function fails. If a
// function cannot look a path up, it returns the path as it is written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace host::permission {

// The struct Place contains the base folders of relative paths (`cwd`) and of `~` (`home`). `cwd`
// and `home` are absolute paths.
struct Place {
  std::string home;
  std::string cwd;
};

// Returns the parts of a path between slashes, without empty parts and ".".
std::vector<std::string_view> path_parts(std::string_view path);

// Expands `~` and `~/...`, and makes a relative path absolute from place.cwd. absolute_path() does
// not normalise the path.
std::string absolute_path(std::string_view path, const Place& place);

// Removes ".", ".." and doubled slashes. normal_path() does not use the file system. The argument
// and the result are absolute paths.
std::string normal_path(std::string_view absolute);

// Follows symbolic links step by step, as the kernel would, also if the last parts do not exist or
// a link is broken. If the function cannot follow a part of the path (no permission, a loop, a path
// that no system call accepts), it appends the rest of the path as text. real_path() blocks on the
// file system.
std::string real_path(std::string_view absolute);

// Returns true if `path` is `folder` or a path below `folder`. `path` and `folder` must be
// normalised.
bool is_inside(std::string_view path, std::string_view folder);

}  // namespace host::permission
