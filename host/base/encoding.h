// base64 of RFC 4648, strict both ways, and UTF-8.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace host {

std::string base64(std::string_view bytes);
void base64(std::string_view bytes, std::string& append_to);
std::string base64url(std::string_view bytes);  // without padding

// Nothing for wrong alphabet, length or padding, or set bits beyond the end.
std::optional<std::string> from_base64(std::string_view text);
std::optional<std::string> from_base64url(std::string_view text);

// Strict: no overlong form, no surrogate, nothing beyond U+10FFFF.
bool is_utf8(std::string_view bytes);
// The begin of UTF-8, of at most so many bytes: no character is cut.
std::string_view utf8_begin(std::string_view text, std::size_t most);

}  // namespace host
