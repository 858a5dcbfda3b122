#include "skill/catalog.h"

#include <unistd.h>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

#include "base/digest.h"

namespace host::skill {
namespace {

constexpr std::chrono::milliseconds kQuiet{100};  // editors write in pieces
constexpr std::chrono::seconds kRescan{5};        // for folders that give no events

std::string fingerprint_of(const State& state) {
  Sha256Stream stream;
  for (const auto& skill : state.skills) {
    stream.add(skill->source + '\0' + skill->folder + '\0' + skill->name + '\0' + skill->digest +
               '\0');
  }
  for (const config::Diagnostic& fault : state.diagnostics) stream.add(fault.headline());
  return to_hex(stream.finish());
}

// Of .../FOLDER/SKILL.md or .../FOLDER.
std::string folder_of(const config::Diagnostic& fault) {
  const std::filesystem::path file(fault.file);
  return (file.filename() == kSkillFile ? file.parent_path() : file).filename().string();
}

// A skill whose name could not be read has that of its folder.
std::string skill_of(const config::Diagnostic& fault, const Listing& listing) {
  std::string folder = folder_of(fault);
  const auto found = listing.names.find(folder);
  return found == listing.names.end() ? folder : found->second;
}

}  // namespace

std::set<std::string> hidden_skills(const std::vector<config::Group>& groups) {
  std::set<std::string> hidden;
  for (const config::Group& group : groups) {
    if (!group.active) hidden.insert(group.skills.begin(), group.skills.end());
  }
  for (const config::Group& group : groups) {
    if (!group.active) continue;
    for (const std::string& skill : group.skills) hidden.erase(skill);
  }
  return hidden;
}

// Wakes the catalog. Handlers hold the watcher, not the catalog, which may be gone by then.
class Catalog::Watcher : public std::enable_shared_from_this<Catalog::Watcher> {
 public:
  Watcher(Catalog& catalog, const boost::asio::any_io_executor& executor)
      : catalog_(&catalog), quiet_(executor), rescan_(executor) {
    for (const auto& repository : catalog.repositories_) {
      const int fd = repository->change_fd() < 0 ? -1 : ::dup(repository->change_fd());
      if (fd >= 0)
        descriptors_.push_back(
            std::make_unique<boost::asio::posix::stream_descriptor>(executor, fd));
    }
  }

  void start() {
    for (const auto& descriptor : descriptors_) wait_for_events(*descriptor);
    wait_for_rescan();
  }

  void stop() {
    catalog_ = nullptr;
    quiet_.cancel();
    rescan_.cancel();
    boost::system::error_code ignored;
    for (const auto& descriptor : descriptors_) descriptor->close(ignored);
  }

 private:
  using Descriptor = boost::asio::posix::stream_descriptor;

  void wait_for_events(Descriptor& descriptor) {
    descriptor.async_wait(Descriptor::wait_read, [self = shared_from_this(),
                                                  &descriptor](boost::system::error_code error) {
      if (!error && self->catalog_ != nullptr) self->look_when_quiet(descriptor);
    });
  }

  // Reading is left to the catalog: the descriptor stays readable until it looks.
  void look_when_quiet(Descriptor& descriptor) {
    quiet_.expires_after(kQuiet);
    quiet_.async_wait([self = shared_from_this(), &descriptor](boost::system::error_code) {
      if (self->catalog_ == nullptr) return;
      self->catalog_->refresh();
      self->wait_for_events(descriptor);
    });
  }

  void wait_for_rescan() {
    rescan_.expires_after(kRescan);
    rescan_.async_wait([self = shared_from_this()](boost::system::error_code error) {
      if (error || self->catalog_ == nullptr) return;
      self->catalog_->refresh();
      self->wait_for_rescan();
    });
  }

  Catalog* catalog_;
  boost::asio::steady_timer quiet_;
  boost::asio::steady_timer rescan_;
  std::vector<std::unique_ptr<Descriptor>> descriptors_;
};

Catalog::Catalog(std::vector<std::unique_ptr<SkillRepository>> repositories, Options options)
    : repositories_(std::move(repositories)), options_(std::move(options)) {
  for (const auto& repository : repositories_) listings_.push_back(repository->list());
  rebuild();
  fingerprint_ = fingerprint_of(state_);
}

Catalog::~Catalog() {
  stop_watching();
}

const State& Catalog::state() {
  refresh();
  return state_;
}

void Catalog::refresh() {
  // A listener may ask for the new state.
  if (!options_.live || refreshing_) return;
  bool looked = false;
  for (std::size_t i = 0; i < repositories_.size(); ++i) {
    if (!repositories_[i]->changed()) continue;
    listings_[i] = repositories_[i]->list();
    looked = true;
  }
  if (!looked) return;
  rebuild();
  std::string now = fingerprint_of(state_);
  if (now == fingerprint_) return;
  fingerprint_ = std::move(now);
  refreshing_ = true;
  for (const auto& listener : listeners_) listener();
  refreshing_ = false;
}

bool Catalog::shows(const std::string& name) const {
  return !(options_.only && !options_.only->contains(name)) && !options_.hidden.contains(name);
}

void Catalog::rebuild() {
  State state;
  std::map<std::string, std::shared_ptr<const Skill>, std::less<>> by_name;
  for (const Listing& listing : listings_) {
    for (const config::Diagnostic& fault : listing.diagnostics) {
      if (options_.all_faults || shows(skill_of(fault, listing)))
        state.diagnostics.push_back(fault);
    }
    for (const auto& skill : listing.skills) {
      auto& place = by_name[skill->name];
      if (place) state.shadowed.push_back({place, nullptr});
      place = skill;
    }
  }
  for (Shadowed& shadowed : state.shadowed) shadowed.by = by_name[shadowed.skill->name];
  for (const auto& [name, skill] : by_name) {
    if (shows(name)) state.skills.push_back(skill);
  }
  state_ = std::move(state);
}

std::shared_ptr<const Skill> Catalog::find(std::string_view name) {
  refresh();
  const auto found = std::lower_bound(
      state_.skills.begin(), state_.skills.end(), name,
      [](const auto& skill, std::string_view wanted) { return skill->name < wanted; });
  return found != state_.skills.end() && (*found)->name == name ? *found : nullptr;
}

SkillRepository* Catalog::repository_of(const Skill& skill) {
  for (const auto& repository : repositories_) {
    if (repository->source() == skill.source) return repository.get();
  }
  return nullptr;
}

Result<FileList> Catalog::files(const Skill& skill) {
  SkillRepository* repository = repository_of(skill);
  if (repository == nullptr) return Error{ErrorKind::NotFound, "the skill's repository is gone"};
  return repository->files(skill);
}

Result<std::string> Catalog::read(const Skill& skill, const std::string& path) {
  SkillRepository* repository = repository_of(skill);
  if (repository == nullptr) return Error{ErrorKind::NotFound, "the skill's repository is gone"};
  return repository->read(skill, path);
}

void Catalog::watch(const boost::asio::any_io_executor& executor) {
  if (!options_.live || watcher_) return;
  watcher_ = std::make_shared<Watcher>(*this, executor);
  watcher_->start();
}

void Catalog::stop_watching() {
  if (watcher_) watcher_->stop();
  watcher_.reset();
}

}  // namespace host::skill
