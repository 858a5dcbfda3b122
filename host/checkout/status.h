// Reports the state of one Git repository of skills to the console, REST and `toolpost skills`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "checkout/versions.h"
#include "config/diagnostic.h"
#include "config/skill_repository.h"
#include "upstream/pins/pins.h"

namespace host::checkout {

struct HeldSkill {
  std::string skill;    // the skill's folder in the repository
  bool is_new = false;  // true: no version of the skill was accepted before
  WallTime since{};
};

struct Status {
  config::SkillRepository settings;
  bool pulls = false;  // a pull is in progress
  LastPull last;
  std::vector<std::string> skills;   // folders of the skills with an accepted version
  std::vector<std::string> missing;  // folders in `skills` whose files are missing or changed
  std::vector<HeldSkill> held;
};

// Returns the name of the Git repository in lists of repositories, and in the table of pinned
// definitions.
std::string source_of(const config::SkillRepository& settings);  // "git:NAME"

// Returns the pins of those skills that have an accepted version and are still in the repository. A
// skill keeps its accepted version while a changed version waits.
std::vector<store::PinRecord> accepted_in(const upstream::Pins& pins);

Status status_of(const config::SkillRepository& settings, const upstream::Pins& pins,
                 const LastPull& last);
std::string as_json(const Status& status);
// Returns the repository's problems as the faults S016 to S019 of skill/skill.h.
std::vector<config::Diagnostic> faults_of(const Status& status);

}  // namespace host::checkout
