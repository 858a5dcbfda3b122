// Finds wrapper programs, such as env, sudo and xargs. A wrapper program runs an inner program,
// which is named in its arguments. Deny rules also match the inner program. The host never suggests
// a rule that allows a wrapper program.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "permission/shell/words.h"

namespace host::permission::shell {

// If it is unclear which word begins a command, some checks treat every word as the beginning of a
// command. A Guess names the checks that treat every word as the beginning of a command.
enum class Guess {
  None,
  ForRules,  // deny and ask rules
  ForAll,    // also the check for dangerous commands, if an option is unknown
};

// The struct Inner contains the inner commands that a wrapper program (from the host's table of
// wrapper programs) runs.
struct Inner {
  std::vector<std::span<const Word>> commands;  // each is a part of the argument of find_inner()
  std::vector<std::string> scripts;             // texts for a shell
  // If `appends` is true, the program adds unknown words to its commands, as xargs does. If
  // `replaces` is set, the program puts unknown words in place of each occurrence of `replaces`.
  bool appends = false;
  std::string replaces;  // empty: nothing
  Guess guess = Guess::None;
  std::string trouble;  // why `commands` is incomplete; empty: the members above are complete
};

// The first word of `words` must be the program. Returns nullopt if the program is not in the
// table.
std::optional<Inner> find_inner(std::span<const Word> words, bool reads_input);

// Returns true if the command's program runs other programs: a wrapper program, a shell or awk.
bool runs_programs(std::span<const Word> words);

}  // namespace host::permission::shell
