// URI templates of RFC 6570 as far as resources use them: `{name}`, which stands for one or more
// characters of one path segment, and `{+name}`, which stands for one or more of any. Immutable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::tool {

class UriTemplate {
 public:
  // InvalidArgument for what is no template of these two kinds of expressions, with the place.
  static Result<UriTemplate> parse(std::string_view text);

  // Whether some values of the variables make `uri`. Time is bounded by the product of both
  // lengths.
  bool matches(std::string_view uri) const;
  // Whether one of its variables has this name.
  bool has(std::string_view variable) const;

 private:
  struct Piece {
    enum class Kind { Literal, Segment, Any };
    Kind kind = Kind::Literal;
    std::string text;  // the literal, or the variable's name
  };
  std::vector<Piece> pieces_;
};

}  // namespace host::tool
