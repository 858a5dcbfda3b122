// Invisible characters that some texts need: the joiners of Persian, of Indic scripts and of emoji,
// and the selector that turns a sign into an emoji. Between suitable characters they are not
// treated as hidden characters.
#pragma once

#include <string>
#include <string_view>

namespace host {

// True if `joiner` is U+200C, U+200D or U+FE0F and belongs between `before` and `after`. 0: there
// is no such character.
bool belongs_between(char32_t before, char32_t joiner, char32_t after);

// Like marked() (visible.h), but does not change joiners in the right places. Use it for prose. Use
// marked() for texts whose exact characters matter, such as commands.
std::string marked_prose(std::string_view text);

}  // namespace host
