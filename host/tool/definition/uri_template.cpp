#include "tool/definition/uri_template.h"

#include <algorithm>
#include <bit>
#include <cstdint>

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

// The function goes through the URI once, and follows all pieces that can begin at a place. So no
// URI makes the function try one way after another. Bit N of a set is for piece N.
bool UriTemplate::matches(std::string_view uri) const {
  using Pieces = std::uint64_t;
  static_assert(2 * kMostVariables + 1 < 64);
  const Piece& first = pieces_.front();
  const Piece& last = pieces_.back();
  if (first.kind == Piece::Kind::Literal && !uri.starts_with(first.text)) return false;
  if (last.kind == Piece::Kind::Literal && !uri.ends_with(last.text)) return false;
  Pieces literals = 0;
  Pieces variables = 0;
  Pieces any = 0;
  std::size_t least = 0;  // bytes of the shortest URI that matches
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const bool is_literal = pieces_[i].kind == Piece::Kind::Literal;
    (is_literal ? literals : variables) |= Pieces{1} << i;
    if (pieces_[i].kind == Piece::Kind::Any) any |= Pieces{1} << i;
    least += is_literal ? pieces_[i].text.size() : 1;
  }
  if (uri.size() < least) return false;
  std::vector<Pieces> begins(uri.size() + 1, 0);  // by place: pieces that follow a literal
  begins[0] = 1;
  Pieces running = 0;  // variables whose values have begun before this place
  for (std::size_t at = 0; at < uri.size(); ++at) {
    const Pieces now = begins[at] | running << 1u;
    for (Pieces left = now & literals; left != 0; left &= left - 1) {
      const auto piece = static_cast<std::size_t>(std::countr_zero(left));
      const std::string& text = pieces_[piece].text;
      if (uri.substr(at).starts_with(text)) begins[at + text.size()] |= Pieces{2} << piece;
    }
    running = (running | (now & variables)) & (ends_segment(uri[at]) ? any : variables);
  }
  const Pieces ended = begins[uri.size()] | running << 1u;
  return (ended >> pieces_.size() & 1u) != 0;
}

}  // namespace host::tool
