// Writes the catalogue for a model. Names and descriptions of skills are untrusted texts, so
// harmless() is applied to them.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "skill/skill.h"

namespace host::skill {

// Returns the text on one line. Control, bidirectional and invisible characters are replaced by
// texts like \u{202E}. Line breaks and runs of blanks become one blank. A longer text is cut after
// `characters` characters, and "..." is added.
std::string harmless(std::string_view text, std::size_t characters = 1024);

// Returns a sentence that skills must be read and not called, and a line for each skill, together
// at most `bytes` bytes. If not all skills fit, the last line has the number of the others. Empty
// if there is no skill.
std::string catalogue_text(const std::vector<std::shared_ptr<const Skill>>& skills,
                           std::size_t bytes = std::numeric_limits<std::size_t>::max());

}  // namespace host::skill
