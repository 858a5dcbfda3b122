#include "name_glob.h"

#include <optional>
#include <utility>
#include <vector>

namespace {

struct Piece {
  // Folders is the `**` of `**/`: with the slash that follows, or with nothing at all.
  enum Kind { Literal, One, Set, Star, DoubleStar, Folders } kind;
  std::string_view text;  // of a literal or a set
};

std::vector<Piece> pieces_of(std::string_view pattern) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '*') {
      const bool twice = i + 1 < pattern.size() && pattern[i + 1] == '*';
      const bool folders = twice && i + 2 < pattern.size() && pattern[i + 2] == '/';
      const bool more = !pieces.empty() && pieces.back().kind == Piece::DoubleStar;
      if (!more || folders)  // `***` is `**`
        pieces.push_back({folders ? Piece::Folders : twice ? Piece::DoubleStar : Piece::Star, {}});
      if (twice) ++i;
    } else if (c == '?') {
      pieces.push_back({Piece::One, {}});
    } else if (const std::size_t end = c == '[' ? pattern.find(']', i + 2) : pattern.npos;
               end != pattern.npos) {
      pieces.push_back({Piece::Set, pattern.substr(i + 1, end - i - 1)});
      i = end;
    } else {
      if (c == '\\' && i + 1 < pattern.size()) ++i;
      pieces.push_back({Piece::Literal, pattern.substr(i, 1)});
    }
  }
  return pieces;
}

bool in_set(std::string_view set, char c) {
  const bool negated = set.starts_with('!') || set.starts_with('^');
  if (negated) set.remove_prefix(1);
  bool found = false;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (i + 2 < set.size() && set[i + 1] == '-') {
      found = found || (set[i] <= c && c <= set[i + 2]);
      i += 2;
    } else {
      found = found || set[i] == c;
    }
  }
  return found != negated;
}

bool takes(const Piece& piece, char c) {
  switch (piece.kind) {
    case Piece::Literal:
      return piece.text[0] == c;
    case Piece::Set:
      return c != '/' && in_set(piece.text, c);
    case Piece::DoubleStar:
    case Piece::Folders:
      return true;
    default:
      return c != '/';
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
      : pieces_(pieces), entered_(pieces.size() + 1), stayed_(pieces.size() + 1) {}

  // Before the first character.
  void begin() {
    entered_[0] = true;
    pass_stars();
  }

  States after(char c) const {
    States next(pieces_);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (!reached(i) || !takes(pieces_[i], c)) continue;
      if (is_star(pieces_[i])) {
        next.stayed_[i] = true;
      } else {
        next.entered_[i + 1] = true;
      }
    }
    next.pass_stars();
    return next;
  }

  bool at_end() const { return entered_.back(); }

 private:
  bool reached(std::size_t piece) const { return entered_[piece] || stayed_[piece]; }

  // A star ends anywhere. Folders that have begun end with a slash.
  void pass_stars() {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (!reached(i) || !is_star(pieces_[i])) continue;
      entered_[i + 1] = true;
      if (pieces_[i].kind == Piece::Folders && entered_[i]) entered_[i + 2] = true;
    }
  }

  const std::vector<Piece>& pieces_;
  std::vector<bool> entered_;
  std::vector<bool> stayed_;  // at a star that has taken a character
};

}  // namespace

bool name_fits(std::string_view pattern, std::string_view path) {
  if (pattern.find('/') == pattern.npos && pattern != "**") path = path.substr(path.rfind('/') + 1);
  const std::vector<Piece> pieces = pieces_of(pattern);
  std::optional<States> states(std::in_place, pieces);
  states->begin();
  for (const char c : path) states.emplace(states->after(c));
  return states->at_end();
}
