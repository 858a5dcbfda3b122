// The texts that a word may become when a shell expands it. Wildcards are looked up. The value of a
// variable is unknown and can be any text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "permission/path/real_path.h"
#include "permission/shell/words.h"

namespace host::permission::shell {

// The absolute paths to which a shell would now expand a word with wildcards. Empty: no path
// matches, and the word stays as it is. nullopt: a folder cannot be read, or there are too many
// entries. Blocks on the file system.
std::optional<std::vector<std::string>> expansions(std::string_view pattern, const Place& place);

// Selects one of the two texts of a word.
enum class Reading {
  Written,  // Word::text
  Shape,    // Word::shape
};

// The words, joined with blanks. In a shape, a word that may become empty needs no blank.
std::string join(std::span<const Word> words, Reading reading);

// The words as one unambiguous text: special characters are quoted. In a shape, a word with a hole
// may be quoted or not.
std::string rejoin(std::span<const Word> words, Reading reading);

// True if the shell may replace this word.
bool is_open(const Word& word);

}  // namespace host::permission::shell
