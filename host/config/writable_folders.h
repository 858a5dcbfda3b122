// Finds the folders that processes in sandboxes can write, and the paths that depend on such
// folders. A process that can write a folder can put a symbolic link into it. If a process could
// put a symbolic link into the path of a grant, the process would choose which file the grant opens
// at the next start.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/config.h"

namespace host::config {

// A path that the host or toolpost-confine follows before the upstream's sandbox is in effect.
struct UsedPath {
  const char* key = "";   // the key "fs", "command" or "cwd"; "PATH" for programs in its folders
  std::size_t index = 0;  // the index in `fs`
  std::filesystem::path path;
};

// Returns the paths that the host or toolpost-confine follows before the upstream's sandbox is in
// effect. `variable` is the value of the environment variable PATH that the upstream's process
// gets.
std::vector<UsedPath> paths_of(const Upstream& upstream, std::string_view variable);

class WritableFolders {
 public:
  // Says whether check() considers the writable folders of plugins and upstreams, or only those of
  // upstreams.
  enum class Of { All, Upstreams };

  // Collects the folders that plugins and sandboxed upstreams can write: those with a grant "rw:".
  explicit WritableFolders(const Config& config);
  // Collects the folders of `plugins` and of `upstreams`. The upstreams of the configuration are
  // ignored.
  WritableFolders(const Plugins& plugins, const std::vector<Upstream>& upstreams);

  // Returns an Error that names the writable folder if the path, or a symbolic link in the path, is
  // below a writable folder. The path of a writable folder itself is valid.
  Result<void> check(const std::filesystem::path& path, Of of) const;
  // Calls check() for each path of paths_of(), and returns the first Error.
  Result<void> check(const Upstream& upstream, std::string_view variable) const;

 private:
  struct Folder {
    std::filesystem::path written;
    std::filesystem::path real;
    std::string writer;
    bool of_upstream = false;
  };

  void add(const std::vector<sandbox::FsGrant>& grants, const std::string& writer,
           bool of_upstream);

  std::vector<Folder> folders_;
};

}  // namespace host::config
