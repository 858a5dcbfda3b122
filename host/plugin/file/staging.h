// Private copies of plugin files. The host never loads the original file. The host loads a private
// copy, from a path that is used only once. So overwriting the original cannot change running code,
// and the dynamic loader cannot mistake a new build for an old one. Blocking; any thread.
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
  std::vector<std::string> notes;  // notes on its ELF structure
  // "has unique symbols ...": why the library must not be unloaded inline.
  std::string stays_loaded;
};

// The folder for private copies. Each process has its own folder (0700), which is removed when the
// process ends. Folders of dead processes are removed too.
class Staging {
 public:
  // Makes the folder in the folder `below`. If `below` is empty, makes it in the temporary
  // directory.
  static Result<Staging> open(const std::filesystem::path& below);

  Staging(Staging&&) = default;
  Staging& operator=(Staging&&) = delete;
  ~Staging();

  // Copies `source`. First checks that the copy is the published file (origin_check.h), then checks
  // the copy's structure and build (elf_lint.h). Unavailable: the source changed during the copy or
  // is open for writing; try again later. A failure leaves no copy. `was_loaded` returns true if a
  // library with this hash was loaded on this machine before. null: no library was.
  using WasLoaded = std::function<bool(const std::string& hash)>;
  Result<StagedFile> stage(const std::filesystem::path& source, const std::string& name,
                           std::uint32_t generation, const WasLoaded& was_loaded = nullptr,
                           const Signers& signers = {}) const;

  static void remove(const StagedFile& file);

  // Makes the file readable for a worker that runs under a different user id and knows the path. No
  // other user can write the file or list the folders.
  Result<void> open_to_others(const StagedFile& file) const;

  // A folder that is always empty. Workers have this folder as their working folder.
  std::filesystem::path empty_folder() const { return folder_ / ".empty"; }

 private:
  Staging(std::filesystem::path folder, UniqueFd lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}

  std::filesystem::path folder_;
  UniqueFd lock_;
};

// True if a process has the file open for writing: the part written so far may look complete. `fd`:
// open for reading.
bool has_writer(int fd);

// Checks that only its owner, this user or root can write the file and its folder.
Result<void> check_writers(const std::filesystem::path& source);

}  // namespace host::plugin
