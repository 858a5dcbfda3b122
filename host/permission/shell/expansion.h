// What a word may become when a shell expands it. A wildcard can be followed; the value of a
// variable is not known, and any text may stand there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "permission/path/real_path.h"
#include "permission/shell/words.h"

namespace host::permission::shell {

// The paths that a shell would put in the place of a word with wildcards, absolute, as the file
// system is now. Empty: there are none, and the word stays as it is. Nothing: a folder cannot be
// read, or the folders have more entries than are looked at. Blocks on the file system.
std::optional<std::vector<std::string>> expansions(std::string_view pattern, const Place& place);

// Which of the two texts of a word.
enum class Reading {
  Written,  // Word::text
  Shape,    // Word::shape
};

// The words with blanks between them. In a shape, a word that may become none needs no blank.
std::string join(std::span<const Word> words, Reading reading);

// The words as one text that no other words have: what must be quoted is. In a shape, a word with a
// hole may be quoted or not.
std::string rejoin(std::span<const Word> words, Reading reading);

// May the shell put something else in the place of this word?
bool is_open(const Word& word);

}  // namespace host::permission::shell
