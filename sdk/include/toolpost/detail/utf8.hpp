// Cuts and mends texts. The host refuses a text or an error message that is not valid UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "toolpost/detail/linkage.hpp"

namespace toolpost {
inline namespace v1 {

// Returns the number of bytes at the beginning of `bytes` that are valid UTF-8. Returns
// bytes.size() if all of `bytes` is valid UTF-8.
std::size_t valid_utf8(std::string_view bytes);

// Returns the beginning of the text, at most `most` bytes. cut() never cuts within a character. Use
// cut() instead of substr() to shorten a text for a message.
std::string_view cut(std::string_view text, std::size_t most);

// Returns the text with U+FFFD in place of each byte that is not valid UTF-8.
std::string mend_utf8(std::string_view bytes);

}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/utf8.ipp"
#endif
