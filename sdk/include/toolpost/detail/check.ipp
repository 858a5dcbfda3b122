// The bodies of check.hpp.
#pragma once

#include "toolpost/detail/check.hpp"
#include "toolpost/detail/utf8.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

TOOLPOST_INLINE void mend_words(Permission& permission) {
  permission.message = mend_utf8(permission.message);
  if (permission.reason) permission.reason = mend_utf8(*permission.reason);
}

TOOLPOST_INLINE void Codec<Suggestion>::write(std::string& out, const Suggestion& value) {
  out += R"({"content":)";
  Codec<std::optional<std::string>>::write(out, value.content);
  out += '}';
}

}  // namespace detail

}  // namespace v1
}  // namespace toolpost
