// Finds libraries in the same folders as this machine's dynamic loader: the folders in
// /etc/ld.so.conf and the loader's built-in folders. The dynamic loader can find some libraries
// that SystemLibraries does not find.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace host::plugin {

class SystemLibraries {
 public:
  static const SystemLibraries& of_machine();  // reads the loader's files once

  explicit SystemLibraries(std::vector<std::filesystem::path> folders)
      : folders_(std::move(folders)) {}

  // find() searches the folders in `run_paths` first, but skips each run path with a `$`.
  std::optional<std::filesystem::path> find(std::string_view name,
                                            const std::vector<std::string_view>& run_paths) const;

 private:
  std::vector<std::filesystem::path> folders_;
};

}  // namespace host::plugin
