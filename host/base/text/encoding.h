// Converts base64 (RFC 4648) and checks UTF-8, both strictly.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace host {

std::string base64(std::string_view bytes);
void base64(std::string_view bytes, std::string& append_to);
std::string base64url(std::string_view bytes);  // without padding

// from_base64() and from_base64url() return nullopt if the text has a wrong alphabet, length or
// padding, or if unused bits at the end are set.
std::optional<std::string> from_base64(std::string_view text);
std::optional<std::string> from_base64url(std::string_view text);

// Returns true if `bytes` are UTF-8. The function is_utf8() returns false for overlong forms,
// surrogates and code points beyond U+10FFFF.
bool is_utf8(std::string_view bytes);
// Returns the longest prefix of a UTF-8 text with at most `most` bytes. The function utf8_begin()
// cuts no character in the middle.
std::string_view utf8_begin(std::string_view text, std::size_t most);

}  // namespace host
