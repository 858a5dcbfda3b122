// Splits a shell command as a shell would: into segments between operators, words and redirections.
// The code runs no command and expands no variable or wildcard. If the code cannot split the
// command with certainty, it returns the reason as `trouble`, and the command needs approval. Keep
// the code simple, because an attacker could use each special case to fool the code.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "permission/path/real_path.h"

namespace host::permission::shell {

// In Word::shape, the character kHole stands for any text that the shell inserts, even for an empty
// text or a text with blanks.
inline constexpr char kHole = '\0';

struct Word {
  std::string text;       // quotes and escapes removed; $HOME and $PWD replaced
  std::string shape;      // `text` with a hole (kHole) for each text that the shell inserts
  bool literal = true;    // the shell expands nothing in `text`, except wildcards
  bool wildcard = false;  // true: the word has an unquoted * ? or [
  bool quoted = false;    // a part of the word was quoted or escaped
};

struct Redirect {
  Word target;
  bool writes = false;  // true: the redirection writes to a file, unlike >&2
};

struct Segment {
  std::string_view source;  // the segment's text in the command, without surrounding blanks
  std::vector<std::string> variables;  // names of variables set for the command
  std::vector<Word> values;            // the values of `variables`
  std::vector<Word> words;
  std::vector<Redirect> redirects;
  bool reads_pipe = false;

  std::string_view command() const {
    return words.empty() ? std::string_view() : std::string_view(words.front().text);
  }
};

struct Script {
  std::vector<Segment> segments;  // if there is trouble: only the segments before it
  std::string trouble;            // empty: no trouble in the whole command
};

inline constexpr std::size_t kMaxCommandBytes = 128u << 10u;  // Linux's limit for one argument
inline constexpr std::size_t kMaxSegments = 256;
inline constexpr std::size_t kMaxWords = 1024;

// Segment::source points into `command`.
Script scan(std::string_view command, const Place& place);

// Splits a command at each character that can separate commands. Use crude_pieces() for a command
// that scan() cannot split with certainty. The result can contain pieces that are no commands, so
// use it only for deny and ask rules.
std::vector<std::string_view> crude_pieces(std::string_view command);

std::string_view trim(std::string_view text);

template <std::size_t N>
bool is_one_of(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace host::permission::shell
