// The part of RFC 6570 that resources use. `{name}` matches one or more characters of one path
// segment, `{+name}` one or more of any characters. Immutable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::tool {

class UriTemplate {
 public:
  // InvalidArgument, with the position, if the text is not a template, or has a different kind of
  // expression.
  static Result<UriTemplate> parse(std::string_view text);

  // True if some values of the variables expand to `uri`. The time is bounded by the product of
  // both lengths.
  bool matches(std::string_view uri) const;
  // True if it has a variable with this name.
  bool has(std::string_view variable) const;

 private:
  struct Piece {
    enum class Kind { Literal, Segment, Any };
    Kind kind = Kind::Literal;
    std::string text;  // the literal text, or the variable's name
  };
  std::vector<Piece> pieces_;
};

}  // namespace host::tool
