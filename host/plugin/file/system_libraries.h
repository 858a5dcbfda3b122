// Where this machine's dynamic loader finds libraries, as far as its configuration tells: folders
// of /etc/ld.so.conf and the built-in ones. What is not found here may still load.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace host::plugin {

class SystemLibraries {
 public:
  static const SystemLibraries& of_machine();  // looked at once

  explicit SystemLibraries(std::vector<std::filesystem::path> folders)
      : folders_(std::move(folders)) {}

  // `run_paths` come first; those with a `$` are passed over.
  std::optional<std::filesystem::path> find(std::string_view name,
                                            const std::vector<std::string_view>& run_paths) const;

 private:
  std::vector<std::filesystem::path> folders_;
};

}  // namespace host::plugin
