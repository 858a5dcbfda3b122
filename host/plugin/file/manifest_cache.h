// What libraries said of themselves when they were tried (known_library.h), kept over restarts of
// the host: a library whose bytes, settings and worker are those of then need not be tried again
// before what it offers is listed. Its worker is held to it when it starts. One file a library, in
// a folder of this user alone. Blocking; any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::plugin {

class ManifestCache {
 public:
  // All that a manifest depends on.
  struct Key {
    std::string hash;              // of the library, SHA-256, hex
    std::string settings;          // JSON text
    std::filesystem::path worker;  // the executable that tried it: another build, another manifest
  };

  // Makes the folder where it is missing. Denied: others could write there.
  static Result<ManifestCache> open(std::filesystem::path folder);

  // Nothing, too, where the file cannot be read or is not what was written.
  std::optional<std::string> find(const Key& key) const;
  // Best effort: what cannot be kept is tried again next time. The oldest beyond 256 are removed.
  void keep(const Key& key, std::string_view manifest) const;
  void forget(const Key& key) const;

 private:
  explicit ManifestCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path file_of(const Key& key) const;

  std::filesystem::path folder_;
};

}  // namespace host::plugin
