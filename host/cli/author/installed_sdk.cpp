#include "cli/author/installed_sdk.h"

#include "cli/access/own_executable.h"

namespace host::cli {
namespace fs = std::filesystem;

std::optional<fs::path> sdk_prefix() {
  const fs::path prefix = own_executable().parent_path().parent_path();
  if (prefix == "/usr" || prefix == "/usr/local") return std::nullopt;
  for (const char* folder : {"lib", "lib64", "lib/x86_64-linux-gnu"}) {
    std::error_code error;
    if (fs::exists(prefix / folder / "cmake/toolpost/toolpost-config.cmake", error)) return prefix;
  }
  return std::nullopt;
}

}  // namespace host::cli
