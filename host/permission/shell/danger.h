// What a person should see before a shell command runs, whatever rules allow it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "permission/path/dangerous_path.h"
#include "permission/shell/acts.h"

namespace host::permission::shell {

// `rm -rf`, `dd`, `chmod 777` and their kind, as commands and in any quoted text.
std::optional<std::string> find_dangerous_command(std::string_view command, const Acts& acts);

// A sed script beyond printing lines and plain substitutions can write files and run commands.
std::optional<std::string> find_odd_sed(const Acts& acts);

// rm and rmdir of `*`, of the root, of what lies directly below it, of the home folder.
std::optional<std::string> find_critical_removal(const Acts& acts, const Place& place);

// The words and redirections of a script: that one of them is a dangerous path, or that one may
// become any path, because a variable in it has a value that is not known.
std::optional<std::string> find_dangerous_word(const Script& script, const DangerousPaths& paths,
                                               const Place& place,
                                               std::span<const std::string> extra);

// Whether a program such as xargs adds words to a command that it runs: each may be any path. Asked
// where find_dangerous_word() found nothing in what is written.
bool adds_unknown_words(const Acts& acts);

}  // namespace host::permission::shell
