// Checks the tool groups that skills name in `metadata: toolpost.groups`. Call the functions of
// this header on the I/O thread.
#pragma once

#include <vector>

#include "config/config.h"
#include "skill/skill.h"

namespace host::app {

class Core;

// Returns a warning for each group that the skill names and that `config` does not define.
std::vector<config::Diagnostic> unknown_groups_of(const skill::Skill& skill,
                                                  const config::Config& config);
// Returns the warnings of unknown_groups_of() for all skills that the core has found.
std::vector<config::Diagnostic> unknown_groups_of_skills(Core& core, const config::Config& config);

}  // namespace host::app
