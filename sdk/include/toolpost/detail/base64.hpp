// Encodes bytes as base64, as MCP requires.
#pragma once

#include <string>
#include <string_view>

#include "toolpost/detail/linkage.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

// Returns the bytes as base64 text (RFC 4648) with padding.
std::string base64(std::string_view bytes);

}  // namespace detail
}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/base64.ipp"
#endif
