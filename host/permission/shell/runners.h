// Programs that run other programs named in their arguments. Rules that deny look through each of
// them, and no rule is suggested that allows one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "permission/shell/words.h"

namespace host::permission::shell {

// If it is unclear which word begins a command, every word is treated as the beginning of one. This
// says by which checks.
enum class Guess {
  None,
  ForRules,  // by rules that deny or ask
  ForAll,    // by the check for dangerous commands too, because an option of the program is unknown
};

// What such a program runs.
struct Inner {
  std::vector<std::span<const Word>> commands;  // parts of the words given
  std::vector<std::string> scripts;             // texts for a shell
  // The program adds unknown words to its commands, as xargs does: after the last word, and in
  // place of `replaces` wherever that occurs.
  bool appends = false;
  std::string replaces;  // empty: nothing
  Guess guess = Guess::None;
  std::string trouble;  // why it is unknown what it runs; empty: the above is complete
};

// `words` begin with the program. nullopt if it is not in the table.
std::optional<Inner> find_inner(std::span<const Word> words, bool reads_input);

// True if the command is one of them, or if its first argument is program text.
bool runs_programs(std::span<const Word> words);

}  // namespace host::permission::shell
