// Private copies of plugin files. The host never loads the original file but a copy, from a path
// that is used once. So an overwritten file cannot change running code, and the loader cannot
// mistake a new build for an old one. Blocking; any thread.
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
  std::filesystem::path file;      // absolute; the one file of its folder
  std::string hash;                // SHA-256, hex
  std::vector<std::string> notes;  // notes on its ELF structure
  std::string stays_loaded;        // "has unique symbols ...": why it must not be unloaded inline
};

// A folder of this process only, 0700, removed at its end. Leftovers of dead processes are removed.
class Staging {
 public:
  // `below` empty: in the temporary directory.
  static Result<Staging> open(const std::filesystem::path& below);

  Staging(Staging&&) = default;
  Staging& operator=(Staging&&) = delete;
  ~Staging();

  // Copies `source`. Checks that the copy is the published file (origin_check.h), then its
  // structure and build (elf_lint.h). Unavailable: the file changed meanwhile or is open for
  // writing; try again later. A failure leaves no file. `was_loaded` returns true if bytes with
  // this hash were loaded here before. null: no bytes were.
  using WasLoaded = std::function<bool(const std::string& hash)>;
  Result<StagedFile> stage(const std::filesystem::path& source, const std::string& name,
                           std::uint32_t generation, const WasLoaded& was_loaded = nullptr,
                           const Signers& signers = {}) const;

  static void remove(const StagedFile& file);

  // Makes the file readable for a worker with a different user id that knows the path. No other
  // user can write the file or list the folders.
  Result<void> open_to_others(const StagedFile& file) const;

  // Stays empty; the working folder of workers.
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
