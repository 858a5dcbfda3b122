// The bodies of error.hpp.
#pragma once

#include <utility>

#include "toolpost/detail/error.hpp"

namespace toolpost {
inline namespace v1 {

TOOLPOST_INLINE Error::Error(const std::string& message, std::int32_t code, std::string data)
    : std::runtime_error(message), code_(code), data_(std::move(data)) {}
TOOLPOST_INLINE Error::Error(const Error&) = default;
TOOLPOST_INLINE Error& Error::operator=(const Error&) = default;
TOOLPOST_INLINE Error::~Error() = default;

namespace detail {

TOOLPOST_INLINE std::string pointer_data(const std::string& pointer) {
  std::string out = R"({"pointer":")";
  for (const char c : pointer) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + "\"}";
}

}  // namespace detail

TOOLPOST_INLINE ArgumentError::ArgumentError(const std::string& pointer, const std::string& what,
                                             std::int32_t code)
    : Error("argument " + pointer + " " + what, code, detail::pointer_data(pointer)) {}

}  // namespace v1
}  // namespace toolpost
