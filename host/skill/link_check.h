// Checks that the links in a skill's Markdown files lead to files of the skill. The check is only
// for authors: a host also serves a skill with wrong links.
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
