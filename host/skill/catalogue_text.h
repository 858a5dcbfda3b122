// Writes the catalogue for a model. Names and descriptions are untrusted texts and are made
// harmless.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "skill/skill.h"

namespace host::skill {

// The text on one line. Control, bidirectional and invisible characters are written like \u{202E}.
// Line ends and runs of blanks become one blank. A longer text is cut after `characters` and gets
// "...".
std::string harmless(std::string_view text, std::size_t characters = 1024);

// A sentence that skills are read, not called, and a line for each skill, up to `bytes`. A last
// line counts the skills that do not fit. Empty if there is no skill.
std::string catalogue_text(const std::vector<std::shared_ptr<const Skill>>& skills,
                           std::size_t bytes = std::numeric_limits<std::size_t>::max());

}  // namespace host::skill
