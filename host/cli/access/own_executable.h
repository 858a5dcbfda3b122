// Returns the path of this program's executable.
#pragma once

#include <filesystem>

namespace host::cli {

inline std::filesystem::path own_executable() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path("toolpost") : path;
}

}  // namespace host::cli
