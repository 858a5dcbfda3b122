// The skills of all repositories. If two skills have the same name, the skill of the later
// repository is used.
//
// By default the catalog is live: at every use, it first asks the repositories whether they have
// changed, so an edit is visible at the next read. The question costs two system calls for each
// folder. With watch(), listeners are notified of edits even if nobody uses the catalog. I/O thread
// only. The catalog reads files of at most 1 MiB on this thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "skill/catalogue_text.h"
#include "skill/repository.h"

namespace host::skill {

// A skill that is not served because a skill of a later repository has the same name.
struct Shadowed {
  std::shared_ptr<const Skill> skill;
  std::shared_ptr<const Skill> by;
};

struct State {
  std::vector<std::shared_ptr<const Skill>> skills;  // in the order of their names
  std::vector<Shadowed> shadowed;
  std::vector<config::Diagnostic> diagnostics;
};

struct Options {
  bool live = true;
  std::set<std::string> hidden;                    // names that are not shown
  std::optional<std::set<std::string>> only = {};  // only these are shown; nullopt: all
  bool all_faults = true;                          // false: only faults of shown skills
};

// Returns the names of the skills that are in groups, but in no active group.
std::set<std::string> hidden_skills(const std::vector<config::Group>& groups);

class Catalog {
 public:
  // `repositories`: in the order from low to high priority.
  Catalog(std::vector<std::unique_ptr<SkillRepository>> repositories, Options options);
  ~Catalog();
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  const State& state();
  std::shared_ptr<const Skill> find(std::string_view name);  // nullptr: no such skill
  std::string text() { return catalogue_text(state().skills); }

  // Lists the files of the skill. SKILL.md is not in the list; its text is in `skill.text`.
  Result<FileList> files(const Skill& skill);
  Result<std::string> read(const Skill& skill, const std::string& path);

  // `listener` runs after skills or their faults were added, removed or changed. A listener is
  // never removed.
  void on_change(std::function<void()> listener) { listeners_.push_back(std::move(listener)); }
  // Reads each repository again when its folders change. A repository without events is read every
  // few seconds. Call watch() once. watch() does nothing if the catalog is not live.
  void watch(const boost::asio::any_io_executor& executor);
  void stop_watching();

 private:
  class Watcher;

  void refresh();
  void rebuild();
  bool shows(const std::string& name) const;
  SkillRepository* repository_of(const Skill& skill);

  std::vector<std::unique_ptr<SkillRepository>> repositories_;
  std::vector<Listing> listings_;  // of each repository
  Options options_;
  State state_;
  std::string fingerprint_;
  bool refreshing_ = false;
  std::vector<std::function<void()>> listeners_;
  std::shared_ptr<Watcher> watcher_;
};

}  // namespace host::skill
