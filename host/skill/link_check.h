// Whether the links in a skill's Markdown files lead to files that the skill has. For authors: a
// host serves a skill with wrong links too.
#pragma once

#include <filesystem>
#include <vector>

#include "config/diagnostic.h"

namespace host::skill {

// Of SKILL.md and of every other .md file below the folder. A link is relative to its file; links
// with a scheme or a host, and links within a file, are not looked at.
//   S014 the link's file is not there, or is not served
//   S015 the link leads out of the folder
std::vector<config::Diagnostic> check_links(const std::filesystem::path& skill_folder);

}  // namespace host::skill
