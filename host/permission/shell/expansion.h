// Finds the texts that a word may become when a shell expands the word. Wildcards are looked up.
// The value of a variable is unknown and can be any text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "permission/path/real_path.h"
#include "permission/shell/words.h"

namespace host::permission::shell {

// Returns the absolute paths to which a shell would now expand a word with wildcards. The value is
// empty if no path matches, and the shell leaves the word as it is. nullopt: a folder cannot be
// read, or there are too many entries. Blocks on the file system.
std::optional<std::vector<std::string>> expansions(std::string_view pattern, const Place& place);

// Selects one of the two texts of a word.
enum class Reading {
  Written,  // Word::text
  Shape,    // Word::shape
};

// Returns the words, joined with blanks. With Reading::Shape, the blank before a word that may
// become empty can be absent.
std::string join(std::span<const Word> words, Reading reading);

// Returns the words as one unambiguous text, in which special characters are quoted. With
// Reading::Shape, a word with a hole may be quoted or not.
std::string rejoin(std::span<const Word> words, Reading reading);

// True if the shell may replace this word.
bool is_open(const Word& word);

}  // namespace host::permission::shell
