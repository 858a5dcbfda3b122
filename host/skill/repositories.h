// All repositories of a host, and what each listed last. Catalogs are views of it.
//
// By default it is live: every use first asks the repositories whether they changed, so an edit is
// visible at the next read. This costs two system calls for each folder. With watch(), listeners
// are notified of edits also without a use. I/O thread only. It reads files of at most 1 MiB on
// this thread.
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

// No: every SKILL.md stays as it was when its repository was added.
enum class Live { Yes, No };

// The folder `skills` next to the libraries of these plugins.
struct PluginFolder {
  std::filesystem::path folder;
  std::vector<std::string> plugins;  // sorted; never empty

  bool operator==(const PluginFolder&) const = default;
};

class Repositories {
 public:
  struct Entry {
    std::unique_ptr<SkillRepository> repository;
    std::vector<std::string> plugins;  // it belongs to these; empty: it is the operator's
    Listing listing;
  };
  // Ends when it is destroyed.
  using Follower = std::shared_ptr<void>;

  // `configured`: the operator's, from low to high priority.
  explicit Repositories(std::vector<std::unique_ptr<SkillRepository>> configured,
                        Live live = Live::Yes);
  ~Repositories();
  Repositories(const Repositories&) = delete;
  Repositories& operator=(const Repositories&) = delete;

  // From low to high priority: those of plugins, in the order of their folders, then the
  // operator's. So a plugin cannot replace a skill of the operator.
  const std::vector<Entry>& entries() const { return entries_; }
  // Changes whenever entries() changes.
  std::uint64_t version() const { return version_; }

  // Lists again what has changed, and tells the followers.
  void refresh();
  // Lists this repository again, also if the repositories are not live, and tells the followers.
  void list_again(std::string_view source);
  // The folders of the plugins that serve now, sorted. A folder that the operator configured too
  // is left out. Repositories of folders that stay are kept.
  void set_plugin_folders(std::vector<PluginFolder> folders);

  // The files of a skill that a repository has listed. NotFound: the repository is gone.
  Result<FileList> files(const Skill& skill);
  Result<std::string> read(const Skill& skill, const std::string& path);

  // `act` runs after entries() has changed.
  [[nodiscard]] Follower follow(std::function<void()> act);
  // Calls refresh() whenever a folder changes, and every few seconds for those without events. Call
  // it once. It does nothing if the repositories are not live.
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
