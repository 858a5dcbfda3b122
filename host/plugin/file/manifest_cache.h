// Stored descriptions of validated libraries (known_library.h), which survive restarts of the host.
// If a library's bytes, settings and worker executable are unchanged, it need not be validated
// again before its tools are listed. Its worker must match the description when it starts. One file
// for each library, in a folder that only this user can write. Blocking; any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::plugin {

class ManifestCache {
 public:
  // Everything that a manifest depends on.
  struct Key {
    std::string hash;      // of the library, SHA-256, hex
    std::string settings;  // JSON text
    // The worker executable that validated the library. A different build of it may give a
    // different manifest.
    std::filesystem::path worker;
  };

  // Makes the folder if it is missing. Denied: other users could write to it.
  static Result<ManifestCache> open(std::filesystem::path folder);

  // nullopt also if the file cannot be read or was altered.
  std::optional<std::string> find(const Key& key) const;
  // Best effort: a library whose description cannot be stored is validated again next time. The
  // oldest files beyond 256 are removed.
  void keep(const Key& key, std::string_view manifest) const;
  void forget(const Key& key) const;

 private:
  explicit ManifestCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path file_of(const Key& key) const;

  std::filesystem::path folder_;
};

}  // namespace host::plugin
