// Makes private copies of plugin files. The host never loads the original file of a plugin.
// Instead, the host loads a private copy from a path that is used only once. So a process that
// overwrites the original cannot change running code, and the dynamic loader cannot mistake a new
// build for an old one. The functions of this header block, and any thread can call them.
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
  // The reason why an inline library must not be unloaded ("has unique symbols ..."). The text is
  // empty if the library can be unloaded.
  std::string stays_loaded;
};

// The folder that contains the private copies. Each process has a separate folder with the mode
// 0700, which is removed when the process ends. The folders of dead processes are removed too.
// While the process runs, the folder is locked against programs that clean temporary folders.
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

  // Returns a folder that is always empty. Workers have this folder as their working folder.
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
