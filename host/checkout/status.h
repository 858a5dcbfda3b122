// The state of one Git repository of skills, for the console, REST and `toolpost skills`.
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
  std::string skill;    // its folder in the repository
  bool is_new = false;  // no version of it was accepted before
  WallTime since{};
};

struct Status {
  config::SkillRepository settings;
  bool pulls = false;  // a pull is in progress
  LastPull last;
  std::vector<std::string> skills;   // with an accepted version, by folder
  std::vector<std::string> missing;  // of these, those whose files are not there or were changed
  std::vector<HeldSkill> held;
};

// The repository's name in lists of repositories, and in the table of pinned definitions.
std::string source_of(const config::SkillRepository& settings);  // "git:NAME"

// A skill of a repository keeps its accepted version while a changed one waits.
std::vector<store::PinRecord> accepted_in(const upstream::Pins& pins);

Status status_of(const config::SkillRepository& settings, const upstream::Pins& pins,
                 const LastPull& last);
std::string as_json(const Status& status);
// What users should know, in the form of faults of skills: S016 to S019 of skill/skill.h.
std::vector<config::Diagnostic> faults_of(const Status& status);

}  // namespace host::checkout
