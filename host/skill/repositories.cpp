#include "skill/repositories.h"

#include <unistd.h>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <utility>

#include "skill/folder_repository.h"

namespace host::skill {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kQuiet{100};  // editors write in pieces
constexpr std::chrono::seconds kRescan{5};        // for folders that give no events

}  // namespace

// Wakes the repositories. Handlers hold the watcher, not the repositories, which may be gone by
// then.
class Repositories::Watcher : public std::enable_shared_from_this<Repositories::Watcher> {
 public:
  Watcher(Repositories& repositories, const boost::asio::any_io_executor& executor)
      : repositories_(&repositories), quiet_(executor), rescan_(executor) {}

  void start() {
    follow_all();
    wait_for_rescan();
  }

  void stop() {
    repositories_ = nullptr;
    quiet_.cancel();
    rescan_.cancel();
    close(std::exchange(descriptors_, {}));
  }

  // Of the repositories that there are now.
  void follow_all() {
    Descriptors before = std::exchange(descriptors_, {});
    for (const Entry& entry : repositories_->entries_) {
      const SkillRepository* const key = entry.repository.get();
      if (auto known = before.extract(key)) {
        descriptors_.insert(std::move(known));
      } else if (const int fd = entry.repository->change_fd(); fd >= 0) {
        follow(key, ::dup(fd));
      }
    }
    close(before);
  }

 private:
  using Descriptor = boost::asio::posix::stream_descriptor;
  using DescriptorPtr = std::shared_ptr<Descriptor>;
  using Descriptors = std::map<const SkillRepository*, DescriptorPtr>;

  static void close(const Descriptors& descriptors) {
    boost::system::error_code ignored;
    for (const auto& [repository, descriptor] : descriptors) descriptor->close(ignored);
  }

  void follow(const SkillRepository* repository, int fd) {
    if (fd < 0) return;  // the rescan sees its edits
    const auto made = std::make_shared<Descriptor>(rescan_.get_executor(), fd);
    descriptors_.emplace(repository, made);
    wait_for_events(made);
  }

  void wait_for_events(const DescriptorPtr& descriptor) {
    descriptor->async_wait(Descriptor::wait_read, [self = shared_from_this(),
                                                   descriptor](boost::system::error_code error) {
      if (!error && self->repositories_ != nullptr) self->look_when_quiet(descriptor);
    });
  }

  // Reading is left to the repository: the descriptor stays readable until it looks.
  void look_when_quiet(const DescriptorPtr& descriptor) {
    quiet_.expires_after(kQuiet);
    quiet_.async_wait([self = shared_from_this(), descriptor](boost::system::error_code) {
      if (self->repositories_ == nullptr) return;
      self->repositories_->refresh();
      if (descriptor->is_open()) self->wait_for_events(descriptor);
    });
  }

  void wait_for_rescan() {
    rescan_.expires_after(kRescan);
    rescan_.async_wait([self = shared_from_this()](boost::system::error_code error) {
      if (error || self->repositories_ == nullptr) return;
      self->repositories_->refresh();
      self->wait_for_rescan();
    });
  }

  Repositories* repositories_;
  boost::asio::steady_timer quiet_;
  boost::asio::steady_timer rescan_;
  Descriptors descriptors_;
};

Repositories::Repositories(std::vector<std::unique_ptr<SkillRepository>> configured, Live live)
    : live_(live) {
  for (auto& repository : configured) {
    Entry& entry = entries_.emplace_back();
    entry.repository = std::move(repository);
    entry.listing = entry.repository->list();
  }
}

Repositories::~Repositories() {
  stop_watching();
}

Repositories::Follower Repositories::follow(std::function<void()> act) {
  auto follower = std::make_shared<std::function<void()>>(std::move(act));
  std::erase_if(followers_, [](const auto& one) { return one.expired(); });
  followers_.push_back(follower);
  return follower;
}

// A follower may come or go while another one is told, and may ask for what it is told of.
void Repositories::tell() {
  ++version_;
  refreshing_ = true;
  const auto followers = followers_;
  for (const auto& one : followers) {
    if (const auto follower = one.lock()) (*follower)();
  }
  refreshing_ = false;
}

void Repositories::refresh() {
  if (live_ == Live::No || refreshing_) return;
  bool looked = false;
  for (Entry& entry : entries_) {
    if (!entry.repository->changed()) continue;
    entry.listing = entry.repository->list();
    looked = true;
  }
  if (looked) tell();
}

void Repositories::list_again(std::string_view source) {
  for (Entry& entry : entries_) {
    if (entry.repository->source() == source) entry.listing = entry.repository->list();
  }
  tell();
}

bool Repositories::is_configured(const fs::path& folder) const {
  std::error_code error;
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.plugins.empty() && (fs::path(entry.repository->source()) == folder ||
                                     fs::equivalent(entry.repository->source(), folder, error));
  });
}

void Repositories::set_plugin_folders(std::vector<PluginFolder> folders) {
  std::erase_if(folders, [this](const PluginFolder& one) { return is_configured(one.folder); });
  if (folders == plugin_folders_) return;
  plugin_folders_ = std::move(folders);
  const auto first_configured = std::find_if(
      entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.plugins.empty(); });
  std::vector<Entry> before(std::make_move_iterator(entries_.begin()),
                            std::make_move_iterator(first_configured));
  std::vector<Entry> now;
  for (const PluginFolder& one : plugin_folders_) {
    const auto known = std::find_if(before.begin(), before.end(), [&](const Entry& entry) {
      return entry.repository && entry.repository->source() == one.folder.string();
    });
    Entry& entry = now.emplace_back();
    if (known != before.end()) {
      entry = std::move(*known);
    } else {
      entry.repository =
          std::make_unique<FolderRepository>(one.folder, FolderRepository::Of::Plugin);
      entry.listing = entry.repository->list();
    }
    entry.plugins = one.plugins;
  }
  std::move(first_configured, entries_.end(), std::back_inserter(now));
  entries_ = std::move(now);
  // `before` still has those that went, so no new one has the address of one of them.
  if (watcher_) watcher_->follow_all();
  tell();
}

Result<SkillRepository*> Repositories::repository_of(const Skill& skill) {
  for (const Entry& entry : entries_) {
    if (entry.repository->source() == skill.source) return entry.repository.get();
  }
  return Error{ErrorKind::NotFound, "the skill's repository is gone"};
}

Result<FileList> Repositories::files(const Skill& skill) {
  HOST_TRY_ASSIGN(SkillRepository* const repository, repository_of(skill));
  return repository->files(skill);
}

Result<std::string> Repositories::read(const Skill& skill, const std::string& path) {
  HOST_TRY_ASSIGN(SkillRepository* const repository, repository_of(skill));
  return repository->read(skill, path);
}

void Repositories::watch(const boost::asio::any_io_executor& executor) {
  if (live_ == Live::No || watcher_) return;
  watcher_ = std::make_shared<Watcher>(*this, executor);
  watcher_->start();
}

void Repositories::stop_watching() {
  if (watcher_) watcher_->stop();
  watcher_.reset();
}

}  // namespace host::skill
