// Which options a program may be given, written out one by one. Nothing is matched by its
// beginning: `--out` is not `--output`, although many programs take it for that.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "permission/shell/words.h"

namespace host::permission::shell {

struct OptionList {
  std::string_view flags;   // short options without a value: a cluster of them is fine
  std::string_view valued;  // short options with a value: `-n5`, `-n 5`, the last of a cluster
  // Parted by blanks. `--all` has no value, `--lines=` has one, joined or in the next word,
  // `--color[=]` may have one, joined. A word without `=` must be the very same: `-uno`.
  std::string_view words;
  bool number = false;  // `-5`
};

struct GivenOption {
  std::string_view name;  // `-n` or `--lines`
  Word value;             // empty text: none
};

struct Arguments {
  std::vector<GivenOption> options;
  std::vector<const Word*> operands;
  std::size_t first_operand = 0;  // its place among the words; their count: there is none
};

enum class Operands {
  Anywhere,    // options may follow operands, as GNU programs take them
  EndOptions,  // the first operand ends the options: what follows is another program's
};

// The arguments, without the program's name; nothing where an option is not on the list. With
// Anywhere a value in a word of its own must not begin with a dash, unless a number does: the
// program may take it for an option.
std::optional<Arguments> read_arguments(std::span<const Word> words, const OptionList& list,
                                        Operands operands = Operands::Anywhere);

// Could the shell make an option of this word, by its wildcards?
bool may_expand_to_option(const Word& word);

}  // namespace host::permission::shell
