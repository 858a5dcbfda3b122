// A UriTemplate is the URI template of a resource, which uses a part of the syntax of RFC 6570.
// `{name}` matches one or more characters of one path segment. `{+name}` matches one or more
// characters of any kind. A URI template is immutable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::tool {

class UriTemplate {
 public:
  // Returns the Error InvalidArgument with the position if the text is not a template, or if it has
  // an expression of an unsupported kind.
  static Result<UriTemplate> parse(std::string_view text);

  // Returns true if the template expands to `uri` for some values of its variables. The time of
  // matches() is at most proportional to the length of the template times the length of `uri`.
  bool matches(std::string_view uri) const;
  // Returns true if the template has a variable with this name.
  bool has(std::string_view variable) const;

 private:
  struct Piece {
    enum class Kind { Literal, Segment, Any };
    Kind kind = Kind::Literal;
    std::string text;  // the literal text, or the name of the variable
  };
  std::vector<Piece> pieces_;
};

}  // namespace host::tool
