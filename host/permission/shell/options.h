// Describes the command-line options of one program that the host knows. Abbreviated options do not
// match: `--out` does not match `--output`, although many programs accept such abbreviations.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "permission/shell/words.h"

namespace host::permission::shell {

struct OptionList {
  std::string_view flags;   // short options without a value, which may be combined
  std::string_view valued;  // short options with a value: `-n5`, `-n 5`, or last in a combination
  // `words` contains the program's long options, separated by blanks. `--all` has no value.
  // `--lines=` means an option with a value, joined or in the next word. `--color[=]` means an
  // option that can have a joined value. `-uno` means an option that must be written exactly like
  // this.
  std::string_view words;
  bool number = false;  // accepts a number as an option: `-5`
  // If `attached` is false, the program reads `-nx` as the options `-n` and `-x`, and takes their
  // values from the next words. Even if `attached` is false, `-n5` is the option `-n` with the
  // value 5, because the value is a number.
  bool attached = true;
};

struct GivenOption {
  std::string_view name;  // `-n` or `--lines`
  Word value;             // empty text: none
};

struct Arguments {
  std::vector<GivenOption> options;
  std::vector<const Word*> operands;
  std::size_t first_operand = 0;  // index of the first operand; without operands: number of words
};

enum class Operands {
  Anywhere,    // options may follow operands, as in GNU programs
  EndOptions,  // the first operand ends the options: the rest belongs to a different program
};

// Splits a command's arguments into options and operands. Returns nullopt for an unknown option.
// With Operands::Anywhere, an option's value in a separate word must not begin with a dash, because
// the program could read the value as an option. But a value that is a negative number may begin
// with a dash.
std::optional<Arguments> read_arguments(std::span<const Word> words, const OptionList& list,
                                        Operands operands = Operands::Anywhere);

// Returns true if the shell could expand this word to an option of the program.
bool may_expand_to_option(const Word& word);

}  // namespace host::permission::shell
