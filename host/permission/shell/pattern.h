// Matches the content of a rule against the text of one shell command. The function covers() is for
// allow rules and matches as few commands as possible. The function touches() is for deny and ask
// rules and matches as many commands as possible.
#pragma once

#include <string_view>

namespace host::permission::shell {

// Returns true if the content of a rule matches the whole command. The content `git:*` matches the
// command git, alone or with arguments. In the content `npm * run`, the wildcard `*` matches any
// text. The content `ls *` also matches `ls` without arguments. In the content of a rule, `\*` and
// `\\` mean the characters `*` and `\`. The content `npm ci` matches exactly the command `npm ci`.
bool covers(std::string_view content, std::string_view command);

// touches() compares as covers() does, but a `content` without wildcards can also match a part of
// the command.
bool touches(std::string_view content, std::string_view command);

// Returns true if touches() could be true for a command whose unknown texts are marked with kHole
// in `shape` (words.h).
bool may_touch(std::string_view content, std::string_view shape);

// Returns true if the content has neither `*` nor `:*`. covers() and touches() can give different
// results only for a content without wildcards.
bool is_plain_text(std::string_view content);

}  // namespace host::permission::shell
