// Finds libraries as this machine's dynamic loader does: in the folders of /etc/ld.so.conf and in
// its built-in folders. The loader may find more, so a library that is not found here may still
// load.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace host::plugin {

class SystemLibraries {
 public:
  static const SystemLibraries& of_machine();  // read once

  explicit SystemLibraries(std::vector<std::filesystem::path> folders)
      : folders_(std::move(folders)) {}

  // `run_paths` are searched first; except paths with a `$`.
  std::optional<std::filesystem::path> find(std::string_view name,
                                            const std::vector<std::string_view>& run_paths) const;

 private:
  std::vector<std::filesystem::path> folders_;
};

}  // namespace host::plugin
