// A URI template of a resource, with a part of the syntax of RFC 6570. `{name}` matches one or more
// characters of one path segment. `{+name}` matches one or more characters of any kind. Immutable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::tool {

class UriTemplate {
 public:
  // InvalidArgument, with the position, if the text is not a template, or has an expression of a
  // kind that is not supported.
  static Result<UriTemplate> parse(std::string_view text);

  // True if some values of the variables expand to `uri`. The time grows at most with the length of
  // the template times the length of `uri`.
  bool matches(std::string_view uri) const;
  // True if the template has a variable with this name.
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
