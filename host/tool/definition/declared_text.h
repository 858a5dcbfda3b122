// The rules for names and texts that providers of tools, resources and prompts declare, such as
// plugins. A name or id that does not match its pattern is refused. Texts keep their words.
// Invisible characters (base/text/visible.h) in them are written out, as <U+202E>, before anybody
// sees the text. Joiners that scripts and emoji need (base/text/joiners.h) are allowed in texts,
// but not in names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::tool {

inline constexpr std::size_t kMostTitleBytes = 256;  // of titles, names of resources and the like
inline constexpr std::size_t kMostDescriptionBytes = 64u << 10u;

// True for a valid name of a tool or group: 1 to 64 of A-Z, a-z, 0-9, _ and -.
bool is_plain_name(std::string_view name);
inline constexpr std::string_view kPlainNameForm = "1 to 64 of A-Z, a-z, 0-9, _ and -";

// True for a valid id of a plugin, like "io.toolpost.hello": 1 to 128 of A-Z, a-z, 0-9, ., _ and -,
// with a letter or digit at each end and no two dots in a row.
bool is_id(std::string_view id);

// True for a valid name of a resource, prompt or argument: any words on one line, without invisible
// characters.
bool is_shown_name(std::string_view name);

// Returns the text on one line: line breaks and tabs become spaces.
std::string shown_line(std::string_view text);
// Returns the text with its lines. Each line ends with LF alone.
std::string shown_text(std::string_view text);

// The same as shown_line(). An Error if the text is longer than `most` bytes. `what` names the text
// in the error.
Result<std::string> short_line(std::string_view what, std::string_view text,
                               std::size_t most = kMostTitleBytes);
Result<std::string> short_text(std::string_view what, std::string_view text,
                               std::size_t most = kMostDescriptionBytes);

// A JSON Schema with its texts as shown_text() writes them. A text that is not JSON is returned
// unchanged. Names of members with invisible characters are refused. Values are data and stay
// verbatim: `enum`, `const`, `default`, `examples` and `pattern`.
Result<std::string> shown_schema_text(std::string_view schema);

// An untrusted name in the form for error messages: short, on one line, without invisible
// characters.
std::string quoted_name(std::string_view name);

}  // namespace host::tool
