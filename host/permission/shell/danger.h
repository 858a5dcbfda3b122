// Reasons why a shell command needs approval even if a rule allows it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "permission/path/dangerous_path.h"
#include "permission/shell/acts.h"

namespace host::permission::shell {

// `rm -rf`, `dd`, `chmod 777` and similar commands, also in quoted text.
std::optional<std::string> find_dangerous_command(std::string_view command, const Acts& acts);

// A sed script that does more than print lines and plain substitutions. It could write files and
// run commands.
std::optional<std::string> find_odd_sed(const Acts& acts);

// rm and rmdir of `*`, the root, folders directly below the root, and the home folder.
std::optional<std::string> find_critical_removal(const Acts& acts, const Place& place);

// A word or redirection of a script that is a dangerous path, or that may become any path because
// it has a variable with an unknown value.
std::optional<std::string> find_dangerous_word(const Script& script, const DangerousPaths& paths,
                                               const Place& place,
                                               std::span<const std::string> extra);

// True if a program such as xargs adds words to a command that it runs. Each of them may be any
// path. Call it if find_dangerous_word() found nothing.
bool adds_unknown_words(const Acts& acts);

}  // namespace host::permission::shell
