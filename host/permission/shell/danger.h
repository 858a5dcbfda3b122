// Finds reasons why a shell command needs approval even if a rule allows it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "permission/path/budget.h"
#include "permission/path/dangerous_path.h"
#include "permission/shell/acts.h"

namespace host::permission::shell {

// Finds `rm -rf`, `dd`, `chmod 777` and similar commands, also in quoted text.
std::optional<std::string> find_dangerous_command(std::string_view command, const Acts& acts);

// Finds a sed script that does anything other than print lines or replace text. A sed script that
// does more than print lines or replace text can write files or run programs.
std::optional<std::string> find_odd_sed(const Acts& acts);

// Finds commands that remove `*`, the root, a folder directly below the root, or the home folder
// (rm and rmdir).
std::optional<std::string> find_critical_removal(const Script& script, const Acts& acts,
                                                 const Place& place, Budget& budget);

// Finds a word or redirection of a script, or of a script within it, that is a dangerous path. A
// word that has a variable with an unknown value counts as dangerous, because the word could be any
// path. After a `cd` to an unknown folder, each word could be any path. `acts` are the commands of
// `script`. If the budget is used up, the function returns a reason that says so.
std::optional<std::string> find_dangerous_word(const Script& script, const Acts& acts,
                                               const DangerousPaths& paths, const Place& place,
                                               std::span<const std::string> extra, Budget& budget);

// Returns true if a program such as xargs adds words, which could be any path, to a command that it
// runs. Call adds_unknown_words() if find_dangerous_word() found no path.
bool adds_unknown_words(const Acts& acts);

}  // namespace host::permission::shell
