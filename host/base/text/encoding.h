// Strict base64 (RFC 4648) and UTF-8.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace host {

std::string base64(std::string_view bytes);
void base64(std::string_view bytes, std::string& append_to);
std::string base64url(std::string_view bytes);  // without padding

// nullopt if alphabet, length or padding is wrong, or if bits beyond the end are set.
std::optional<std::string> from_base64(std::string_view text);
std::optional<std::string> from_base64url(std::string_view text);

// Strict: false for overlong forms, surrogates and code points beyond U+10FFFF.
bool is_utf8(std::string_view bytes);
// The longest prefix of UTF-8 text with at most `most` bytes. No character is cut.
std::string_view utf8_begin(std::string_view text, std::size_t most);

}  // namespace host
