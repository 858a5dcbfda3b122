// The bodies of variant.hpp.
#pragma once

#include "toolpost/detail/variant.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

TOOLPOST_INLINE bool may_begin(char first, char kind) {
  switch (kind) {
    case 'o':
      return first == '{';
    case 'a':
      return first == '[';
    case 's':
      return first == '"';
    case 'n':
      return first == '-' || (first >= '0' && first <= '9');
    case 'b':
      return first == 't' || first == 'f';
    case '0':
      return first == 'n';
    default:
      return true;
  }
}

TOOLPOST_INLINE bool told_apart(const Alternative* alternatives, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = i + 1; k < count; ++k) {
      const Alternative& one = alternatives[i];
      const Alternative& two = alternatives[k];
      const bool by_kind = one.kind != two.kind && one.kind != '*' && two.kind != '*';
      const bool by_tag =
          !one.tag.name.empty() && one.tag.name == two.tag.name && one.tag.text != two.tag.text;
      if (!by_kind && !by_tag) return false;
    }
  }
  return true;
}

TOOLPOST_INLINE std::string tag_in(Reader in, std::string_view name) {
  std::string found;
  in.object([&](std::string_view key) {
    if (key == name && in.peek() == '"') {
      found = in.string();
    } else {
      in.any();
    }
  });
  return found;
}

TOOLPOST_INLINE void fail_by_tag(const Reader& in, const Alternative* alternatives,
                                 std::size_t count) {
  std::string known;
  for (std::size_t i = 0; i < count; ++i)
    known.append(known.empty() ? "\"" : ", \"").append(alternatives[i].tag.text) += '"';
  in.fail_member(alternatives[0].tag.name, "is none of " + known);
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
