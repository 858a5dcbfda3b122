// Finds libraries in the same folders as this machine's dynamic loader: the folders in
// /etc/ld.so.conf and the loader's built-in folders. The loader can find more libraries, so a
// library that is not found here can still load.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace host::plugin {

class SystemLibraries {
 public:
  static const SystemLibraries& of_machine();  // reads the folders only once

  explicit SystemLibraries(std::vector<std::filesystem::path> folders)
      : folders_(std::move(folders)) {}

  // The function searches the folders of `run_paths` first, but ignores paths with a `$`.
  std::optional<std::filesystem::path> find(std::string_view name,
                                            const std::vector<std::string_view>& run_paths) const;

 private:
  std::vector<std::filesystem::path> folders_;
};

}  // namespace host::plugin
