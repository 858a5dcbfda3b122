// The catalogue as a model reads it: names and descriptions, which are foreign text, made harmless.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "skill/skill.h"

namespace host::skill {

// One line: control, bidirectional and invisible characters become \u{202E}, line ends and runs of
// blanks one blank; cut after `characters` with "...".
std::string harmless(std::string_view text, std::size_t characters = 1024);

// The sentence that skills are read, not called, and a line for each as far as `bytes` reach; a
// last line tells of those that found no room. Empty where there is no skill.
std::string catalogue_text(const std::vector<std::shared_ptr<const Skill>>& skills,
                           std::size_t bytes = std::numeric_limits<std::size_t>::max());

}  // namespace host::skill
