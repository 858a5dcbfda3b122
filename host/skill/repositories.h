// A Repositories object contains all repositories of skills of one host, with the skills that each
// repository listed last. Each catalog of skills is a view of the host's repositories.
//
// By default a Repositories object is live. Before every use, a live object checks whether the
// repositories have changed, so an edit of a skill is visible at the next read. To check for
// changes takes two system calls for each folder. If the system cannot watch a folder, an edit in
// the folder is visible a second later. After watch(), a Repositories object also notifies its
// listeners of edits while no code uses the object. The functions of this header are called on the
// I/O thread. The Repositories object reads files of at most 1 MiB on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "skill/repository.h"

namespace host::skill {

// Says whether the host notices edits of skills. With Live::No, the host ignores edits, and uses
// every SKILL.md as it was when its repository was added.
enum class Live { Yes, No };

// A PluginFolder is a folder `skills`, and the plugins whose libraries are next to this folder.
struct PluginFolder {
  std::filesystem::path folder;
  std::vector<std::string> plugins;  // sorted names; never empty

  bool operator==(const PluginFolder&) const = default;
};

class Repositories {
 public:
  struct Entry {
    std::unique_ptr<SkillRepository> repository;
    std::vector<std::string> plugins;  // the repository's plugins; empty: the operator's repository
    Listing listing;
  };
  // The subscription ends when the Follower is destroyed.
  using Follower = std::shared_ptr<void>;

  // `configured` contains the operator's repositories, from low to high priority.
  explicit Repositories(std::vector<std::unique_ptr<SkillRepository>> configured,
                        Live live = Live::Yes);
  ~Repositories();
  Repositories(const Repositories&) = delete;
  Repositories& operator=(const Repositories&) = delete;

  // Returns the repositories from low to high priority: first the repositories of plugins, in the
  // order of their folders, then the operator's repositories. A plugin cannot replace a skill of
  // the operator, because the operator's repositories have priority.
  const std::vector<Entry>& entries() const { return entries_; }
  // Returns a number that changes whenever entries() changes.
  std::uint64_t version() const { return version_; }

  // Lists the changed repositories again, and calls the functions that were given to follow().
  void refresh();
  // Lists this repository again, even if the repositories are not live, and notifies the followers.
  void list_again(std::string_view source);
  // Sets the folders of the plugins that are in use now, sorted. set_plugin_folders() ignores a
  // folder that the operator has also configured. If a folder is still in the new list, the
  // Repositories object keeps the folder's repository.
  void set_plugin_folders(std::vector<PluginFolder> folders);

  // Returns the files of a skill that came from one of the repositories. The Error NotFound means
  // that the skill's repository no longer exists.
  Result<FileList> files(const Skill& skill);
  Result<std::string> read(const Skill& skill, const std::string& path);

  // The Repositories object calls `act` after entries() has changed.
  [[nodiscard]] Follower follow(std::function<void()> act);
  // Calls refresh() when a folder changes, and every few seconds if a folder cannot be watched.
  // Call watch() once. watch() does nothing if the repositories are not live.
  void watch(const boost::asio::any_io_executor& executor);
  void stop_watching();

 private:
  class Watcher;

  void tell();
  bool is_configured(const std::filesystem::path& folder) const;
  Result<SkillRepository*> repository_of(const Skill& skill);

  const Live live_;
  std::vector<Entry> entries_;
  std::vector<PluginFolder> plugin_folders_;
  std::uint64_t version_ = 1;
  bool refreshing_ = false;
  std::vector<std::weak_ptr<std::function<void()>>> followers_;
  std::shared_ptr<Watcher> watcher_;
};

}  // namespace host::skill
