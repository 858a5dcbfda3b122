// The content of a rule about shell commands, matched against the text of one command.
#pragma once

#include <string_view>

namespace host::permission::shell {

// `git:*`      the command git, alone or with arguments;
// `npm * run`  a `*` stands for any text and the whole must fit; a last ` *` may stand for nothing;
//              `\*` and `\\` are themselves;
// `npm ci`     any other text: the command contains it.
bool matches(std::string_view content, std::string_view command);

}  // namespace host::permission::shell
