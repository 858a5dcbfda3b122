// Programs that run the programs named in their arguments. The one table: rules that deny look
// through each of them, and a rule that allows one is suggested for none.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "permission/shell/words.h"

namespace host::permission::shell {

// Where it cannot be told which of the words begin a command: each is taken for the beginning of
// one, by whom?
enum class Guess {
  None,
  ForRules,  // by rules that deny or ask
  ForAll,    // by what looks for dangerous commands too: an option of the program is not known here
};

// What one of them runs.
struct Inner {
  std::vector<std::span<const Word>> commands;  // parts of the words given
  std::vector<std::string> scripts;             // texts for a shell
  // The program adds words to its commands that are not written here, as xargs does: behind the
  // last one, and in place of this text wherever it stands in them.
  bool appends = false;
  std::string replaces;  // empty: nothing
  Guess guess = Guess::None;
  std::string trouble;  // nobody can tell what it runs; empty: the above is all
};

// `words` begin with the program; nothing where it is not in the table.
std::optional<Inner> find_inner(std::span<const Word> words, bool reads_input);

// Is this command one of them, or one whose first argument is a program's text?
bool runs_programs(std::span<const Word> words);

}  // namespace host::permission::shell
