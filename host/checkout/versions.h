// The files of pulled skills in the state folder. Each version of a skill has a folder that is
// named by the digest of all its files, and never changes. So a pull cannot change what is served.
//
//     STORE.skills/NAME/lock             held by the process that pulls
//     STORE.skills/NAME/versions/HEX/    one version; a process that serves holds `versions`
//     STORE.skills/NAME/work/            of the pull in progress; leftovers are removed by the next
//     STORE.skills/NAME/pull.json        how the last pull ended
//
// Every function blocks. Any thread, but only one at a time for each object.
#pragma once

#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "checkout/fetch.h"

namespace host::checkout {

// The text that is pinned: the paths, sizes and digests of a skill's files, as canonical JSON.
std::string manifest_of(const PulledSkill& skill);

// The folder of the version with this manifest: the hexadecimal SHA-256 of the manifest.
std::string version_of(std::string_view manifest);

// How the last pull ended.
struct LastPull {
  std::string place;   // the URL, the ref and the path of that pull
  std::string remote;  // Pulled::remote of the last pull without failure; empty: none
  std::string commit;
  std::string at;       // when it ended, RFC 3339
  std::string failure;  // of the last pull; empty: it did not fail
  std::string failed_at;
  std::vector<std::string> left_out;  // of `commit`, for users: "pdf: 1 file is left out ..."
};

class Versions {
 public:
  // `folder`: STORE.skills/NAME. Nothing is made before the first pull.
  explicit Versions(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_of(std::string_view manifest) const;
  // True if the version's folder has exactly the files of the manifest.
  bool has(std::string_view manifest) const;
  // Writes a version into `work`, if has() is false for it.
  Result<void> add(const PulledSkill& skill, std::string_view manifest);
  // Makes the added versions visible, once they are on the disk. A folder with the same name and
  // other contents is replaced.
  Result<void> publish();
  // While a process holds this, no other process removes versions. It is shared by processes.
  void hold();
  // Removes all versions except these, unless another process holds them.
  void remove_all_but(const std::set<std::string>& versions);

  // Makes the folders (0700), and waits up to `patience` for the lock. Unavailable: another process
  // has it. The descriptor is the lock.
  Result<UniqueFd> lock(std::chrono::milliseconds patience);
  // An empty folder for a pull. Call it with the lock.
  Result<std::filesystem::path> fresh_work();
  void remove_work() const;

  LastPull last_pull() const;  // of any host; empty members: there was none
  Result<void> record(const LastPull& pull) const;

 private:
  const std::filesystem::path folder_;
  std::vector<std::string> added_;  // since the last publish()
  UniqueFd held_;                   // the folder `versions`, locked for reading
};

}  // namespace host::checkout
