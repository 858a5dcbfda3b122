// Matches the content of a rule against the text of one shell command. The content of an allow rule
// matches as few commands as possible (covers). The content of a deny or ask rule matches as many
// commands as possible (touches).
#pragma once

#include <string_view>

namespace host::permission::shell {

//   `git:*`      the command git, alone or with arguments
//   `npm * run`  `*` is any text, and the whole command must match; ` *` at the end may be empty
//   `\*`, `\\`   the characters themselves
//   `npm ci`     any other text: exactly this command
bool covers(std::string_view content, std::string_view command);

// Compares as covers() does, but a content without `*` can also match any part of the command.
bool touches(std::string_view content, std::string_view command);

// Returns true if touches() could be true for a command of this shape (words.h), with some text in
// place of each hole.
bool may_touch(std::string_view content, std::string_view shape);

// Returns true if the content has neither `*` nor `:*`. covers() and touches() can give different
// results only for a content without wildcards.
bool is_plain_text(std::string_view content);

}  // namespace host::permission::shell
