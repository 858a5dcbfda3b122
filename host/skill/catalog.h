// The skills that there are: those of all repositories, where of two with one name the later wins.
//
// Live unless told otherwise: every use first asks the repositories whether anything changed, which
// costs two system calls a folder, so an edit shows at the very next read. watch() also tells
// listeners of edits that nobody asked for. I/O thread only; files of at most 1 MiB are read on it.
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

// A skill that is not served because a later one has its name.
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
  std::optional<std::set<std::string>> only = {};  // no others are shown; nothing: all
  bool all_faults = true;                          // false: only those of skills that are shown
};

// Skills that stand in groups, none of which is active.
std::set<std::string> hidden_skills(const std::vector<config::Group>& groups);

class Catalog {
 public:
  // `repositories` from low to high priority.
  Catalog(std::vector<std::unique_ptr<SkillRepository>> repositories, Options options);
  ~Catalog();
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  const State& state();
  std::shared_ptr<const Skill> find(std::string_view name);  // nullptr: there is none
  std::string text() { return catalogue_text(state().skills); }

  // Beside SKILL.md, which `skill.text` holds.
  Result<FileList> files(const Skill& skill);
  Result<std::string> read(const Skill& skill, const std::string& path);

  // `listener` runs after skills or their faults came, went or changed. Kept for ever.
  void on_change(std::function<void()> listener) { listeners_.push_back(std::move(listener)); }
  // Looks whenever folders change, and every few seconds at what gives no events. Once; nothing
  // where not live.
  void watch(const boost::asio::any_io_executor& executor);
  void stop_watching();

 private:
  class Watcher;

  void refresh();
  void rebuild();
  bool shows(const std::string& name) const;
  SkillRepository* repository_of(const Skill& skill);

  std::vector<std::unique_ptr<SkillRepository>> repositories_;
  std::vector<Listing> listings_;  // of each
  Options options_;
  State state_;
  std::string fingerprint_;
  bool refreshing_ = false;
  std::vector<std::function<void()>> listeners_;
  std::shared_ptr<Watcher> watcher_;
};

}  // namespace host::skill
