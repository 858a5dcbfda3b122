// The cache stores descriptions of validated libraries (known_library.h), and survives restarts of
// the host. The host does not validate a library again if the library's bytes, its settings and the
// worker executable are unchanged. When a worker loads the library, the worker must send the
// description that is in the cache. The cache has one file for each library, in a folder that only
// the host's user can write. The functions of this header block, and any thread can call them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::plugin {

class ManifestCache {
 public:
  // The description of a library depends on all members of the Key.
  struct Key {
    std::string hash;      // SHA-256 of the library, in hex
    std::string settings;  // JSON text
    // The worker executable that validated the library. A different build of the worker can give a
    // different description.
    std::filesystem::path worker;
  };

  // Makes the folder if it does not exist. The Error Denied means that other users could write to
  // the folder.
  static Result<ManifestCache> open(std::filesystem::path folder);

  // Returns the stored description. Returns nullopt if no description is stored, or if the
  // description's file cannot be read or was altered.
  std::optional<std::string> find(const Key& key) const;
  // Stores a description. If keep() cannot store the description, the host validates the library
  // again at its next start. If the folder contains more than 256 files, the function removes the
  // oldest.
  void keep(const Key& key, std::string_view manifest) const;
  void forget(const Key& key) const;

 private:
  explicit ManifestCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path file_of(const Key& key) const;

  std::filesystem::path folder_;
};

}  // namespace host::plugin
