// Stored descriptions of validated libraries (known_library.h), which survive restarts of the host.
// If a library's bytes, its settings and the worker executable are unchanged, the host lists the
// library's tools without a new validation. When a worker later loads the library, it must send the
// same description. The cache has one file for each library, in a folder that only the host's user
// can write. Functions block; any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::plugin {

class ManifestCache {
 public:
  // Everything on which a library's description depends.
  struct Key {
    std::string hash;      // of the library, SHA-256, hex
    std::string settings;  // JSON text
    // The worker executable that validated the library. A different build of the worker may give a
    // different description.
    std::filesystem::path worker;
  };

  // Makes the folder if it is missing. Denied: other users could write to the folder.
  static Result<ManifestCache> open(std::filesystem::path folder);

  // Returns the stored description. Returns nullopt if there is none, or if its file cannot be read
  // or was altered.
  std::optional<std::string> find(const Key& key) const;
  // Stores a description. If that fails, the next host validates the library again. If there are
  // more than 256 files, the oldest are removed.
  void keep(const Key& key, std::string_view manifest) const;
  void forget(const Key& key) const;

 private:
  explicit ManifestCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path file_of(const Key& key) const;

  std::filesystem::path folder_;
};

}  // namespace host::plugin
