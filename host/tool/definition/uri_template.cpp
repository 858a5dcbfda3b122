#include "tool/definition/uri_template.h"

#include <algorithm>

#include "tool/definition/declared_offer.h"

namespace host::tool {
namespace {

// A match takes a time in proportion to the pieces, for each URI that a client names.
constexpr std::size_t kMostVariables = 16;

bool is_variable(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  });
}

bool ends_segment(char c) {
  return c == '/' || c == '?' || c == '#';
}

}  // namespace

Result<UriTemplate> UriTemplate::parse(std::string_view text) {
  const auto bad = [&](std::string why) {
    return Error{ErrorKind::InvalidArgument,
                 "\"" + std::string(text) + "\" is no URI template: " + std::move(why)};
  };
  if (text.size() > kMostDeclaredUriBytes) {
    return Error{ErrorKind::InvalidArgument, "a URI template has more than " +
                                                 std::to_string(kMostDeclaredUriBytes) + " bytes"};
  }
  UriTemplate made;
  std::size_t variables = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const auto open = rest.find_first_of("{}");
    if (open > 0) made.pieces_.push_back({Piece::Kind::Literal, std::string(rest.substr(0, open))});
    if (open == std::string_view::npos) break;
    const auto close = rest.find('}', open);
    if (rest[open] == '}' || close == std::string_view::npos) return bad("a brace has no partner");
    std::string_view name = rest.substr(open + 1, close - open - 1);
    const bool any = name.starts_with('+');
    if (any) name.remove_prefix(1);
    if (!is_variable(name)) {
      return bad("\"{" + std::string(any ? "+" : "") + std::string(name) +
                 "}\" is neither {name} nor {+name}");
    }
    if (++variables > kMostVariables)
      return bad("it has more than " + std::to_string(kMostVariables) + " variables");
    made.pieces_.push_back({any ? Piece::Kind::Any : Piece::Kind::Segment, std::string(name)});
    rest.remove_prefix(close + 1);
  }
  if (made.pieces_.empty()) return bad("it is empty");
  const Piece& first = made.pieces_.front();
  if (first.kind != Piece::Kind::Literal || first.text.find(':') == std::string::npos)
    return bad("it does not begin with a scheme, such as \"note:\"");
  return made;
}

bool UriTemplate::has(std::string_view variable) const {
  return std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
    return piece.kind != Piece::Kind::Literal && piece.text == variable;
  });
}

// All places that the pieces so far can have led to are followed at once, so that no URI makes it
// try one way after another.
bool UriTemplate::matches(std::string_view uri) const {
  const Piece& first = pieces_.front();
  const Piece& last = pieces_.back();
  if (first.kind == Piece::Kind::Literal && !uri.starts_with(first.text)) return false;
  if (last.kind == Piece::Kind::Literal && !uri.ends_with(last.text)) return false;
  std::vector<bool> reached(uri.size() + 1, false);
  reached[0] = true;
  for (const Piece& piece : pieces_) {
    std::vector<bool> next(uri.size() + 1, false);
    bool running = false;  // a value that began before this place may end here
    for (std::size_t at = 0; at <= uri.size(); ++at) {
      if (piece.kind == Piece::Kind::Literal) {
        if (reached[at] && uri.substr(at).starts_with(piece.text)) {
          next[at + piece.text.size()] = true;
        }
        continue;
      }
      next[at] = running;
      if (at == uri.size()) break;
      running =
          (running || reached[at]) && (piece.kind == Piece::Kind::Any || !ends_segment(uri[at]));
    }
    reached = std::move(next);
    if (std::find(reached.begin(), reached.end(), true) == reached.end()) return false;
  }
  return reached[uri.size()];
}

}  // namespace host::tool
