// Checks that the links in a skill's Markdown files lead to files of the skill. The check is only
// for the authors of skills, because a host serves a skill even if its links are wrong.
#pragma once

#include <filesystem>
#include <vector>

#include "config/diagnostic.h"

namespace host::skill {

// Checks SKILL.md and every other .md file below the folder. A link is relative to the folder of
// the file that contains it. The check ignores links with a scheme or a host, and links within a
// file.
//   S014 the link's file does not exist, or is not served
//   S015 the link leads out of the folder
std::vector<config::Diagnostic> check_links(const std::filesystem::path& skill_folder);

}  // namespace host::skill
