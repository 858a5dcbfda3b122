// The bodies of check.hpp.
#pragma once

#include "toolpost/detail/check.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

TOOLPOST_INLINE void Codec<Suggestion>::write(std::string& out, const Suggestion& value) {
  out += R"({"content":)";
  Codec<std::optional<std::string>>::write(out, value.content);
  out += '}';
}

}  // namespace detail

}  // namespace v1
}  // namespace toolpost
