// Manages the files of pulled skills in the state folder. Each version of a skill has a folder,
// whose name is a digest of the version's files. The folder of a version never changes, so a pull
// cannot change the served skills.
//
// The process that pulls locks the file STORE.skills/NAME/lock. The folder
// STORE.skills/NAME/versions/HEX/ contains one version of the skills. The folder
// STORE.skills/NAME/work/ contains the files of the current pull. The file
// STORE.skills/NAME/pull.json says how the last pull ended.
//
// Every function blocks. Any thread can call the functions of Versions, but only one thread at a
// time for each object.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "checkout/fetch.h"

namespace host::checkout {

// Returns the text that the host pins: the paths, sizes and digests of a skill's files, as
// canonical JSON.
std::string manifest_of(const PulledSkill& skill);

// Returns the name of the folder for the version with this manifest: the hexadecimal SHA-256 of the
// manifest.
std::string version_of(std::string_view manifest);

// A LastPull is the result of the last pull of a repository.
struct LastPull {
  std::string place;   // URL, ref and path of the last pull
  std::string remote;  // Pulled::remote of the last successful pull; empty: none
  std::string commit;
  std::string at;       // when the pull ended, RFC 3339
  std::string failure;  // why the last pull failed; empty: no failure
  std::string failed_at;
  std::vector<std::string> left_out;  // parts not served: "pdf: 1 file is left out ..."
};

class Versions {
 public:
  // `folder` is STORE.skills/NAME. The first pull of the repository makes `folder`.
  explicit Versions(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_of(std::string_view manifest) const;
  // Returns true if the version's folder contains exactly the files of the manifest.
  bool has(std::string_view manifest) const;
  // Writes the files of `skill` into the folder `work`, unless the version exists or was already
  // added.
  Result<void> add(const PulledSkill& skill, std::string_view manifest);
  // Syncs the added versions of skills to the disk, and then makes these versions visible. A
  // published version replaces a folder that has the same name but different contents.
  Result<void> publish();
  // Takes a shared lock. While a process has the shared lock of hold(), no other process removes
  // versions.
  void hold();
  // Removes all versions except `versions`. The function remove_all_but() removes nothing while
  // another process has the lock of hold().
  void remove_all_but(const std::set<std::string>& versions);

  // Makes the folders of the repository (0700), and waits up to `patience` for the lock of the
  // pull. The process has the lock as long as the returned descriptor is open. The Error
  // Unavailable means that another process has the lock. The Error Cancelled means that `cancelled`
  // became true while the function waited for the lock.
  Result<UniqueFd> lock(std::chrono::milliseconds patience,
                        const std::atomic<bool>* cancelled = nullptr);
  // Removes the folder of a pull with everything in it.
  struct RemoveFolder {
    void operator()(const std::filesystem::path* folder) const;
  };
  using WorkFolder = std::unique_ptr<const std::filesystem::path, RemoveFolder>;
  // Returns an empty folder for a pull. The destructor of the WorkFolder removes the folder, so a
  // pull that fails leaves no files on the disk. The caller must hold the lock as long as the
  // WorkFolder exists.
  Result<WorkFolder> fresh_work();
  void remove_work() const;

  LastPull last_pull() const;  // the last pull of any host; empty: no pull
  Result<void> record(const LastPull& pull) const;

 private:
  const std::filesystem::path folder_;
  std::set<std::string> added_;  // names of folders in `work`, since the last publish()
  UniqueFd held_;                // the folder `versions`, locked for reading
};

}  // namespace host::checkout
