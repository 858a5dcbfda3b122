// Writes the catalogue of skills that a model gets. Names and descriptions of skills are untrusted
// texts, so the code applies harmless() to them.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "skill/skill.h"

namespace host::skill {

// Returns the text on one line. Texts like \u{202E} replace control, bidirectional and invisible
// characters. Line breaks and runs of blanks become one blank. If the text has more than
// `characters` characters, the function cuts the text after `characters` characters and adds "...".
std::string harmless(std::string_view text, std::size_t characters = 1024);

// Returns a sentence that tells the model to read skills (not to call skills as tools), and then
// one line for each skill. The whole text has at most `bytes` bytes. If some skills do not fit, the
// last line has the number of the omitted skills. Returns an empty text if there are no skills.
std::string catalogue_text(const std::vector<std::shared_ptr<const Skill>>& skills,
                           std::size_t bytes = std::numeric_limits<std::size_t>::max());

}  // namespace host::skill
