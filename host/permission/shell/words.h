// Reads a shell command as a shell would cut it: segments between operators, words, redirections.
// It runs nothing and expands nothing; what it cannot follow for certain it calls trouble, and a
// person has to look. The quickest way to be fooled is to be clever here.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "permission/path/real_path.h"

namespace host::permission::shell {

// In a shape: any text, also none and also blanks.
inline constexpr char kHole = '\0';

struct Word {
  std::string text;       // quotes and escapes removed; $HOME and $PWD put in
  std::string shape;      // the same, with a hole where the shell puts what is not written here
  bool literal = true;    // what the shell makes of it is `text`, wildcards aside
  bool wildcard = false;  // an unquoted * ? or [
  bool quoted = false;    // some of it was quoted or escaped
};

struct Redirect {
  Word target;
  bool writes = false;  // to a file: not >&2
};

struct Segment {
  std::string_view source;             // as it stands in the command, without blanks around
  std::vector<std::string> variables;  // assigned before the command: NAME of NAME=value
  std::vector<Word> values;            // and their values
  std::vector<Word> words;
  std::vector<Redirect> redirects;
  bool reads_pipe = false;

  std::string_view command() const {
    return words.empty() ? std::string_view() : std::string_view(words.front().text);
  }
};

struct Script {
  std::vector<Segment> segments;  // up to the trouble, where there is one
  std::string trouble;            // empty: followed to its end
};

inline constexpr std::size_t kMaxCommandBytes = 128u << 10u;  // what Linux takes as one argument
inline constexpr std::size_t kMaxSegments = 256;
inline constexpr std::size_t kMaxWords = 1024;

// The segments' sources point into `command`.
Script scan(std::string_view command, const Place& place);

// Pieces of a command that scan() cannot follow, cut at everything that may part commands: more
// pieces than there are, for rules that forbid.
std::vector<std::string_view> crude_pieces(std::string_view command);

std::string_view trim(std::string_view text);

template <std::size_t N>
bool is_one_of(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace host::permission::shell
