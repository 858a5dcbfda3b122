// Recognises paths that need approval: files that shells and tools execute by themselves, and files
// with secrets. An entry `name` of the list of dangerous paths matches each path that contains this
// name as a part. An entry `a/b` matches each path that contains the part `b` directly after the
// part `a`. An entry `/a/b` or `~/a` matches this path and everything below it, also under its real
// path.
//
// A file with a name like `*.pem` or `id_rsa_*` counts as a file with secrets. The letter case of
// paths makes no difference. The plugin plugins/files has a copy of the list of dangerous paths, so
// its search skips the files that need approval for a read.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "permission/path/real_path.h"
#include "permission/path/real_path_memory.h"

namespace host::permission {

// Returns the entries with `~` replaced and without slashes at the end, for comparison with paths.
// If a symbolic link is in the path of an entry, the result also contains the real path. places()
// blocks on the file system.
std::vector<std::string> places(const std::vector<std::string>& entries, const Place& place);

class DangerousPaths {
 public:
  // A DangerousPaths contains the built-in list of dangerous paths and the entries of `extra`.
  explicit DangerousPaths(const std::vector<std::string>& extra = {});

  // Returns the entry of the list of dangerous paths that `path` matches, either as the path is
  // written or after its symbolic links were followed. `extra` are the entries that the called tool
  // declares. A path with a NUL byte matches every entry.
  std::optional<std::string> find(std::string_view path, const Place& place,
                                  std::span<const std::string> extra = {}) const;

  // Returns the entry that a shell's expansion of `pattern`, a path with wildcards, could match.
  std::optional<std::string> find_expansion(std::string_view pattern, const Place& place,
                                            std::span<const std::string> extra = {}) const;

 private:
  std::optional<std::string> find_normal(std::string_view normal, const Place& place,
                                         std::span<const std::string> extra) const;

  std::unordered_set<std::string> names_;  // entries without a slash, in lower case
  std::vector<std::string> places_;        // entries that contain a slash
  std::shared_ptr<RealPathMemory> real_paths_ = std::make_shared<RealPathMemory>();
};

}  // namespace host::permission
