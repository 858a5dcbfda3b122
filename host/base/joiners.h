// Characters without a shape of their own that some texts need: the joiners of Persian, of Indic
// scripts and of emoji, and the selector that makes an emoji of a sign. Between the characters that
// they belong to they are no hidden characters.
#pragma once

#include <string>
#include <string_view>

namespace host {

// Whether `joiner` is U+200C, U+200D or U+FE0F and belongs between these two; 0: there is none.
bool belongs_between(char32_t before, char32_t joiner, char32_t after);

// As marked() (visible.h), but leaves the joiners that belong where they are. For texts to be read.
// Where exact characters count, as in what will run, use marked().
std::string marked_prose(std::string_view text);

}  // namespace host
