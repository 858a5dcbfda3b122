#include "app/core/skill_group_check.h"

#include <algorithm>
#include <string_view>

#include "app/core/core.h"
#include "base/text/nearest.h"
#include "skill/catalog.h"

namespace host::app {

std::vector<config::Diagnostic> unknown_groups_of(const skill::Skill& skill,
                                                  const config::Config& config) {
  std::vector<std::string_view> known;
  for (const config::Group& group : config.groups) known.push_back(group.name);
  std::vector<config::Diagnostic> out;
  for (const std::string& name : skill.groups()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = host::nearest(name, known);
    config::Diagnostic one;
    one.file = skill.source + "/" + skill.folder + "/SKILL.md";
    one.severity = config::Severity::Warning;
    one.code = "C019";
    one.message = "toolpost.groups of the skill \"" + skill.name + "\": no [[group]] is named \"" +
                  name + "\", so the skill does not activate it";
    one.help = near.empty() ? "add a [[group]] of this name, or remove the name from the skill"
                            : "did you mean \"" + near + "\"?";
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<config::Diagnostic> unknown_groups_of_skills(Core& core, const config::Config& config) {
  std::vector<config::Diagnostic> out;
  skill::Catalog all(core.skill_repositories(), {});
  for (const auto& skill : all.state().skills) {
    for (config::Diagnostic& one : unknown_groups_of(*skill, config)) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace host::app
