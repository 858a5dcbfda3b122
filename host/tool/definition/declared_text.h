// Applies the rules for the names and texts of tools, resources and prompts that providers such as
// plugins declare. The host refuses a name or id that does not match its pattern. The host keeps
// all words of a text, but replaces invisible characters (base/text/visible.h) by visible ones such
// as <U+202E>, before anybody sees the text. Joiners that scripts and emoji need
// (base/text/joiners.h) are allowed in texts, but not in names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::tool {

inline constexpr std::size_t kMostTitleBytes = 256;  // the limit of short texts: titles, names, ...
inline constexpr std::size_t kMostDescriptionBytes = 64u << 10u;

// Returns true for a valid name of a tool or group: 1 to 64 of A-Z, a-z, 0-9, _ and -.
bool is_plain_name(std::string_view name);
inline constexpr std::string_view kPlainNameForm = "1 to 64 of A-Z, a-z, 0-9, _ and -";

// Returns true for a valid id of a plugin, like "io.toolpost.hello". An id has 1 to 128 characters
// from A-Z, a-z, 0-9, ., _ and -. An id begins and ends with a letter or digit, and has no two dots
// in a row.
bool is_id(std::string_view id);

// Returns true for a valid name of a resource, prompt or argument: one line of text without
// invisible characters.
bool is_shown_name(std::string_view name);

// shown_line() returns the text on one line. shown_line() replaces line breaks and tabs by spaces.
std::string shown_line(std::string_view text);
// shown_text() returns the text with its line breaks. shown_text() replaces each line break by a
// single LF.
std::string shown_text(std::string_view text);

// short_line() is shown_line() with a length limit, and short_text() is shown_text() with a length
// limit. The functions short_line() and short_text() return an Error if the text is longer than
// `most` bytes. `what` is the name of the text in the message of the Error.
Result<std::string> short_line(std::string_view what, std::string_view text,
                               std::size_t most = kMostTitleBytes);
Result<std::string> short_text(std::string_view what, std::string_view text,
                               std::size_t most = kMostDescriptionBytes);

// Returns a JSON Schema with each of its texts changed by shown_text(). If `schema` is not JSON,
// the function returns it unchanged. The function shown_schema_text() returns an Error if the name
// of a member has invisible characters. The values of `enum`, `const`, `default`, `examples` and
// `pattern` are data, so the function does not change them.
Result<std::string> shown_schema_text(std::string_view schema);

// Returns an untrusted name as error messages show it: short, on one line, without invisible
// characters.
std::string quoted_name(std::string_view name);

}  // namespace host::tool
