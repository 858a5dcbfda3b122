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

// A dangerous path among the words and redirections of a script.
std::optional<std::string> find_dangerous_word(const Script& script, const DangerousPaths& paths,
                                               const Place& place,
                                               std::span<const std::string> extra);

}  // namespace host::permission::shell
