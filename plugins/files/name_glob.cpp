#include "name_glob.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <toolpost/toolpost.hpp>

namespace {

// So many bytes at the start of `text` are one character of UTF-8, or a byte that is none.
std::size_t first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  const std::string_view first = text.substr(0, size);
  return toolpost::valid_utf8(first) == size ? size : 1;
}

// A byte that belongs to no character stands for itself, behind all characters.
char32_t value_of(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return lead < 0x80 ? lead : 0x110000 + lead;
  char32_t value = lead & (0x7f >> character.size());
  for (const char c : character.substr(1)) value = value << 6 | (c & 0x3f);
  return value;
}

std::u32string characters(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const std::size_t size = first_character(text);
    out += value_of(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

struct Piece {
  // Folders is the `**` of `**/`: with the slash that follows, or with nothing at all.
  enum Kind { Literal, One, Set, Star, DoubleStar, Folders } kind;
  std::u32string_view text;  // of a literal or a set
};

std::vector<Piece> pieces_of(std::u32string_view pattern) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char32_t c = pattern[i];
    if (c == U'*') {
      const std::size_t end = std::min(pattern.find_first_not_of(U'*', i), pattern.size());
      const bool twice = end - i > 1;  // more stars in a row mean no more than two
      const bool folders = twice && end < pattern.size() && pattern[end] == U'/';
      pieces.push_back({folders ? Piece::Folders : twice ? Piece::DoubleStar : Piece::Star, {}});
      i = end - 1;
    } else if (c == U'?') {
      pieces.push_back({Piece::One, {}});
    } else if (const std::size_t end = c == U'[' ? pattern.find(U']', i + 2) : pattern.npos;
               end != pattern.npos) {
      pieces.push_back({Piece::Set, pattern.substr(i + 1, end - i - 1)});
      i = end;
    } else {
      if (c == U'\\' && i + 1 < pattern.size()) ++i;
      pieces.push_back({Piece::Literal, pattern.substr(i, 1)});
    }
  }
  return pieces;
}

bool in_set(std::u32string_view set, char32_t c) {
  const bool negated = set.starts_with(U'!') || set.starts_with(U'^');
  if (negated) set.remove_prefix(1);
  bool found = false;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (i + 2 < set.size() && set[i + 1] == U'-') {
      found = found || (set[i] <= c && c <= set[i + 2]);
      i += 2;
    } else {
      found = found || set[i] == c;
    }
  }
  return found != negated;
}

bool takes(const Piece& piece, char32_t c) {
  switch (piece.kind) {
    case Piece::Literal:
      return piece.text[0] == c;
    case Piece::Set:
      return c != U'/' && in_set(piece.text, c);
    case Piece::DoubleStar:
    case Piece::Folders:
      return true;
    default:
      return c != U'/';
  }
}

bool is_star(const Piece& piece) {
  return piece.kind == Piece::Star || piece.kind == Piece::DoubleStar ||
         piece.kind == Piece::Folders;
}

// Which pieces may come next, for the text so far.
class States {
 public:
  explicit States(const std::vector<Piece>& pieces)
      : pieces_(pieces), reached_(pieces.size() + 1) {}

  // A star may stand for nothing, so what follows it is entered too. A loop, because a recursion
  // over the stars of a long pattern would overflow the stack.
  void enter(std::size_t piece) {
    while (!reached_[piece]) {
      reached_[piece] = true;
      if (piece == pieces_.size() || !is_star(pieces_[piece])) return;
      if (pieces_[piece].kind == Piece::Folders) reached_[++piece] = true;  // its slash
      ++piece;
    }
  }

  States after(char32_t c) const {
    States next(pieces_);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (!reached_[i] || !takes(pieces_[i], c)) continue;
      if (is_star(pieces_[i])) next.reached_[i] = true;  // and its end comes by enter()
      next.enter(i + 1);
    }
    return next;
  }

  bool at_end() const { return reached_.back(); }

 private:
  const std::vector<Piece>& pieces_;
  std::vector<bool> reached_;
};

}  // namespace

bool name_fits(std::string_view pattern, std::string_view path) {
  if (pattern.find('/') == pattern.npos && pattern != "**") path = path.substr(path.rfind('/') + 1);
  const std::u32string wanted = characters(pattern);
  const std::vector<Piece> pieces = pieces_of(wanted);
  std::optional<States> states(std::in_place, pieces);
  states->enter(0);
  for (const char32_t c : characters(path)) states.emplace(states->after(c));
  return states->at_end();
}
