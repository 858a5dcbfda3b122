// Corrects a common mistake of authors in the YAML between the `---` lines of a SKILL.md.
// yaml/tree.h declares the YAML parser. Any thread can call the function.
#pragma once

#include <string>
#include <string_view>

namespace host::skill {

// Puts quotes around values that contain an unquoted colon: `description: use when: asked` is a
// common mistake in YAML. quote_colons() changes nothing in a text without unquoted colons in
// values.
std::string quote_colons(std::string_view text);

}  // namespace host::skill
