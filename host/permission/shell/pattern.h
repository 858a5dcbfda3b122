// The content of a rule about shell commands, matched against the text of one command. What allows
// is narrow, what denies or asks is wide.
#pragma once

#include <string_view>

namespace host::permission::shell {

// `git:*`      the command git, alone or with arguments;
// `npm * run`  a `*` stands for any text and the whole must fit; a last ` *` may stand for nothing;
//              `\*` and `\\` are themselves;
// `npm ci`     any other text: the command is this text.
bool covers(std::string_view content, std::string_view command);

// The same, but text without a `*` is looked for within the command.
bool touches(std::string_view content, std::string_view command);

// Could the content touch a command of this shape (words.h), whatever stands in its holes?
bool may_touch(std::string_view content, std::string_view shape);

// Does the content have neither a `*` nor a `:*`? Then the two above differ.
bool is_plain_text(std::string_view content);

}  // namespace host::permission::shell
