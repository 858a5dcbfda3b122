// The bodies of base64.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "toolpost/detail/base64.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

TOOLPOST_INLINE std::string base64(std::string_view bytes) {
  constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= count ? letters[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

}  // namespace detail

}  // namespace v1
}  // namespace toolpost
