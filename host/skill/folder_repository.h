// A FolderRepository is a repository of skills that is a folder. Every immediate subfolder with a
// SKILL.md is a skill.
//
// An edit that breaks a SKILL.md does not remove the skill. The host serves the last valid text,
// and reports the faults of the file, until the file is valid again or is removed. Some editors
// empty a file before they write it, so the file is broken for a moment during each edit.
//
// A scan has limits (2,000 subfolders, 64 MiB of SKILL.md), and a skill is parsed again only when
// its file has changed. The repository does not follow symlinks below the folder. The folder itself
// can be a symlink if the operator configured it. A plugin's folder must not be a symlink. The host
// reads a plugin's folder, its skills' folders and each SKILL.md only if root or the host's user
// owns them, and no other user can write to them.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "config/config.h"
#include "skill/repository.h"
#include "skill/watch.h"

namespace host::skill {

inline constexpr std::size_t kMaxSkillFolders = 2000;
inline constexpr std::size_t kMaxTextBytes = 64u << 20u;

class FolderRepository final : public SkillRepository {
 public:
  enum class Of { Operator, Plugin };

  explicit FolderRepository(std::filesystem::path folder, Of of = Of::Operator);

  const std::string& source() const override { return source_; }
  bool changed() override;
  Listing list() override;
  Result<FileList> files(const Skill& skill) override;
  Result<std::string> read(const Skill& skill, const std::string& path) override;
  int change_fd() const override { return watch_.fd(); }

 private:
  // A Stamp contains the properties of a file that change when the file changes.
  struct Stamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size = -1;
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  struct Known {
    Stamp stamp;
    bool settled =
        false;  // false: read so soon after a change that a later change may have the same time
    std::shared_ptr<const Skill> skill;  // the last valid skill; nullptr: no valid skill yet
    std::string name;                    // the last valid or parsed name; empty: no name
    std::vector<config::Diagnostic> diagnostics;
  };

  static Stamp stamp_of(const struct stat& about);
  Stamp stamp_of_folder() const;
  UniqueFd open_folder() const;  // sets errno after a failure
  // Returns the reason why the host does not read this folder of a plugin. Returns an empty text if
  // the host reads the folder.
  std::string why_untrusted(int folder) const;
  // Returns nullopt if the folder cannot be read. errno then gives the reason.
  std::optional<std::vector<std::string>> subfolders(int folder, Listing& listing) const;
  void tell_if_unwatched();
  void could_not_open(const std::string& where, int code, Listing& listing);
  void look_at(int folder, const std::string& name, std::map<std::string, Known>& seen,
               Listing& listing);
  Known read_skill(int skill_folder, const std::string& name, const struct stat& about) const;
  void keep_last_valid(Known& known, const Known& before, const std::string& name) const;
  void fault(Listing& listing, const std::string& where, std::string message,
             config::Severity severity) const;
  Result<UniqueFd> open(const Skill& skill) const;

  const std::filesystem::path folder_;
  const Of of_;
  std::string source_;
  Watch watch_;
  bool watched_ = false;  // true: all relevant folders are watched
  // If `could_not_look_` is true, the last scan failed for lack of file descriptors or memory, and
  // list() must run again.
  bool could_not_look_ = false;
  bool told_ = false;    // true: the log says that the folder is not watched
  SteadyTime listed_{};  // the time of the last scan
  Stamp base_;           // the folder's Stamp at the last scan
  std::map<std::string, Known> known_;
  std::size_t text_bytes_ = 0;  // bytes of SKILL.md in the current scan
};

// Makes the repositories of the configuration, in the order from low to high priority.
std::vector<std::unique_ptr<SkillRepository>> folder_repositories(const config::Skills& skills);

}  // namespace host::skill
