// Makes private copies of plugin files. The host loads a private copy of a plugin and never the
// original file, so nobody can change running code by overwriting the original. Each private copy
// has a new path, because the dynamic loader could mistake a new build at the same path for an old
// build. The functions of this header block, and any thread can call them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "plugin/file/origin_check.h"

namespace host::plugin {

struct StagedFile {
  std::filesystem::path file;      // absolute path; the only file in its folder
  std::string hash;                // SHA-256, hex
  std::vector<std::string> notes;  // notes on the file's ELF structure
  // stays_loaded is the reason why an inline library must not be unloaded, or empty.
  std::string stays_loaded;
};

// The folder that contains the private copies. Each process has a separate folder with the mode
// 0700, which is removed when the process ends. Staging::open() removes the folders of processes
// that ended without removing their folder. While the process runs, the folder is locked against
// programs that clean temporary folders.
class Staging {
 public:
  // Makes the folder for the private copies, inside the folder `below`. If `below` is empty, the
  // function makes the folder in the temporary directory.
  static Result<Staging> open(const std::filesystem::path& below);

  Staging(Staging&&) = default;
  Staging& operator=(Staging&&) = delete;
  ~Staging();

  // Copies the file `source`. The function first checks that the copy is the published file
  // (origin_check.h), and then checks the copy's structure and build (elf_lint.h). The Error
  // Unavailable means that `source` changed during the copy or is open for writing. If `source` is
  // changing or open for writing, call stage() again later. If stage() fails, no private copy
  // remains. `was_loaded` returns true if a library with this hash was loaded on this machine
  // before. If `was_loaded` is null, stage() assumes that no library was loaded before.
  using WasLoaded = std::function<bool(const std::string& hash)>;
  Result<StagedFile> stage(const std::filesystem::path& source, const std::string& name,
                           std::uint32_t generation, const WasLoaded& was_loaded = nullptr,
                           const Signers& signers = {}) const;

  static void remove(const StagedFile& file);

  // Lets a worker with a different user id read the file, if the worker knows the file's path. No
  // other user can write the private copy or list its folders.
  Result<void> open_to_others(const StagedFile& file) const;

  // Returns the working folder of the workers, which is always empty.
  std::filesystem::path empty_folder() const { return folder_ / ".empty"; }

 private:
  Staging(std::filesystem::path folder, UniqueFd lock, UniqueFd kept)
      : folder_(std::move(folder)), lock_(std::move(lock)), kept_(std::move(kept)) {}

  std::filesystem::path folder_;
  UniqueFd lock_;  // locks a file in the folder, so that other hosts see that this process runs
  UniqueFd kept_;  // the locked folder itself
};

// Checks that nobody can write the file and its folder except the file's owner, this user and root.
Result<void> check_writers(const std::filesystem::path& source);

}  // namespace host::plugin
