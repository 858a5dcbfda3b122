// Recognises invisible characters that some texts need: the joiners of Persian, of Indic scripts
// and of emoji, and the selector that turns a sign into an emoji.
#pragma once

#include <string>
#include <string_view>

namespace host {

// Returns true if `joiner` is U+200C, U+200D or U+FE0F, and a script or an emoji needs it between
// `before` and `after`. Pass 0 as `before` or `after` if there is no character at this side.
bool belongs_between(char32_t before, char32_t joiner, char32_t after);

// Replaces hidden characters as marked() does (visible.h), but keeps joiners between suitable
// characters. Use marked_prose() for prose. Use marked() for texts whose exact characters matter,
// such as commands.
std::string marked_prose(std::string_view text);

}  // namespace host
