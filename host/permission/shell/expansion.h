// Finds the texts that a word could become when a shell expands the word. To expand wildcards, the
// code reads folders in the file system. The value of a variable is unknown and can be any text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "permission/path/budget.h"
#include "permission/path/real_path.h"
#include "permission/shell/words.h"

namespace host::permission::shell {

// Returns the absolute paths to which a shell would now expand a word with wildcards. If no path
// matches, the list is empty: the shell then does not change the word. Returns nullopt if a folder
// cannot be read, if the folders have too many entries, if a path is too long for the kernel, or if
// the budget is used up. The budget covers the search for the paths, not later look-ups of them.
// expansions() blocks on the file system.
std::optional<std::vector<std::string>> expansions(std::string_view pattern, const Place& place,
                                                   Budget& budget);

// The enumeration Reading says whether a function uses the `text` or the `shape` of a Word.
enum class Reading {
  Written,  // Word::text
  Shape,    // Word::shape
};

// Returns the words with blanks between them. With Reading::Shape, there is no blank before a word
// that consists only of holes (kHole), because the shell can drop the word.
std::string join(std::span<const Word> words, Reading reading);

// Returns the words as one unambiguous text, in which special characters are quoted. With
// Reading::Shape, kHole also stands for possible quotes around a word with unknown text.
std::string rejoin(std::span<const Word> words, Reading reading);

// Returns true if the shell could replace this word by another text.
bool is_open(const Word& word);

}  // namespace host::permission::shell
