// A catalog contains those skills of the repositories that certain callers, such as one agent, can
// see. If two repositories have a skill of the same name, the catalog uses the skill of the later
// repository. The functions of this header are called on the I/O thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "skill/catalogue_text.h"
#include "skill/repositories.h"

namespace host::skill {

// A Shadowed skill is not served, because the catalog serves a different skill with the same name.
// The skill `by` is served, which is in a repository of higher priority or in the same repository.
struct Shadowed {
  std::shared_ptr<const Skill> skill;
  std::shared_ptr<const Skill> by;
};

// A Source is a repository of skills from which the catalog reads.
struct Source {
  std::string name;                  // see SkillRepository::source()
  std::vector<std::string> plugins;  // the repository's plugins; empty: an operator's repository
  std::size_t skills = 0;            // the number of its skills, including hidden skills
};

struct State {
  std::vector<std::shared_ptr<const Skill>> skills;  // ordered by name
  // `hidden` contains the skills that the catalog omits only because of Options::hidden, in the
  // order of their names.
  std::vector<std::shared_ptr<const Skill>> hidden;
  std::vector<Shadowed> shadowed;
  std::vector<config::Diagnostic> diagnostics;
  // `sources` contains the catalog's repositories of skills, from low to high priority. A plugin's
  // repository is in the list only if the repository has skills or faults.
  std::vector<Source> sources;
};

struct Options {
  std::set<std::string> hidden;                    // names of skills that the catalog omits
  std::optional<std::set<std::string>> only = {};  // names of the skills to show; nullopt: all
  bool all_faults = true;                          // false: only the faults of shown skills
  // `repositories` contains the names of the repositories that the catalog reads. A name is a
  // folder or `git:NAME` from the configuration, or `plugin:NAME` for a plugin's repository.
  // nullopt means all repositories.
  std::optional<std::set<std::string, std::less<>>> repositories = {};
  // `plugins` contains the plugins whose repositories of skills the catalog reads. nullopt means
  // all plugins.
  std::optional<std::set<std::string>> plugins = {};
};

// Returns the name that a plugin's repository has in Options::repositories.
std::string repository_of_plugin(std::string_view plugin);

class Catalog {
 public:
  Catalog(std::shared_ptr<Repositories> repositories, Options options);
  // Makes a catalog that owns `repositories`, which are ordered from low to high priority.
  Catalog(std::vector<std::unique_ptr<SkillRepository>> repositories, Options options);
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  const State& state();
  std::shared_ptr<const Skill> find(std::string_view name);  // nullptr: no such skill
  std::string text() { return catalogue_text(state().skills); }

  // Returns the files of a skill except SKILL.md, whose text is in `skill.text`.
  Result<FileList> files(const Skill& skill) { return repositories_->files(skill); }
  Result<std::string> read(const Skill& skill, const std::string& path) {
    return repositories_->read(skill, path);
  }

  // The catalog calls `listener` after skills or their faults were added, removed or changed. The
  // catalog never removes a listener.
  void on_change(std::function<void()> listener) { listeners_.push_back(std::move(listener)); }

 private:
  void update();
  void rebuild();
  bool is_wanted(const std::string& name) const;
  bool shows(const std::string& name) const;
  bool reads(const Repositories::Entry& entry) const;

  const std::shared_ptr<Repositories> repositories_;
  const Options options_;
  State state_;
  std::uint64_t made_from_ = 0;  // Repositories' version that the catalog has read
  std::string fingerprint_;
  std::vector<std::function<void()>> listeners_;
  const Repositories::Follower follower_;
};

}  // namespace host::skill
