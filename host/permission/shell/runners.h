// Programs that run other programs named in their arguments. Deny rules also match the inner
// programs. The host suggests no rule that allows such a program.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "permission/shell/words.h"

namespace host::permission::shell {

// If it is unclear which word begins a command, some checks treat every word as the beginning of a
// command. Guess says which checks do so.
enum class Guess {
  None,
  ForRules,  // deny and ask rules
  ForAll,    // also the check for dangerous commands, because an option of the program is unknown
};

// The commands that such a program runs.
struct Inner {
  std::vector<std::span<const Word>> commands;  // parts of the words given
  std::vector<std::string> scripts;             // texts for a shell
  // True: the program adds unknown words to its commands, as xargs does. It adds them after the
  // last word, and replaces each occurrence of `replaces` by them.
  bool appends = false;
  std::string replaces;  // empty: nothing
  Guess guess = Guess::None;
  std::string trouble;  // why its commands are unknown; empty: the members above are complete
};

// `words` begin with the program. nullopt if it is not in the table.
std::optional<Inner> find_inner(std::span<const Word> words, bool reads_input);

// True if the command is one of these programs, or if its first argument is program text.
bool runs_programs(std::span<const Word> words);

}  // namespace host::permission::shell
