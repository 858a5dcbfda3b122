// Paths as text and as the file system has them. Nothing here fails: what cannot be looked up is
// taken as it is written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace host::permission {

// Whence relative paths and `~` are meant. Both absolute.
struct Place {
  std::string home;
  std::string cwd;
};

// The parts between slashes, without empty ones and ".".
std::vector<std::string_view> path_parts(std::string_view path);

// `~` and `~/...` expanded, made absolute against cwd, nothing normalised.
std::string absolute_path(std::string_view path, const Place& place);

// "." and ".." and doubled slashes removed as text alone; absolute in, absolute out.
std::string normal_path(std::string_view absolute);

// Symbolic links followed, step by step as the kernel would, also where the last parts do not exist
// yet and where a link leads to nothing. Where that cannot be known (no permission, a loop, a path
// that no system call takes) the rest is appended as text. Blocks on the file system.
std::string real_path(std::string_view absolute);

// Is `path` the folder or below it? Both normal.
bool is_inside(std::string_view path, std::string_view folder);

}  // namespace host::permission
