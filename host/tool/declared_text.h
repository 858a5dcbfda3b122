// The rule for names and texts that others declare: plugins today, and whatever else offers tools,
// resources and prompts. Names and ids follow a pattern, or are refused. Texts keep their words;
// characters that a reader does not see (base/visible.h) are written out, as <U+202E>, before
// anybody is shown them. Joiners that scripts and emoji need (base/joiners.h) stay in texts, not in
// names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::tool {

inline constexpr std::size_t kMostTitleBytes = 256;  // of titles, names of resources and the like
inline constexpr std::size_t kMostDescriptionBytes = 64u << 10u;

// A tool's, a group's: 1 to 64 of A-Z, a-z, 0-9, _ and -.
bool is_plain_name(std::string_view name);
inline constexpr std::string_view kPlainNameForm = "1 to 64 of A-Z, a-z, 0-9, _ and -";

// A plugin's, like "io.toolpost.hello": 1 to 128 of A-Z, a-z, 0-9, ., _ and -, with a letter or
// digit at each end and no two dots in a row.
bool is_id(std::string_view id);

// Any words on one line, without hidden characters: of a resource, a prompt, an argument.
bool is_shown_name(std::string_view name);

// A text of one line: line breaks and tabs become spaces.
std::string shown_line(std::string_view text);
// A text of several lines, which end with LF alone.
std::string shown_text(std::string_view text);

// The same, refused where it is longer than `most` bytes; `what` names it in the error.
Result<std::string> short_line(std::string_view what, std::string_view text,
                               std::size_t most = kMostTitleBytes);
Result<std::string> short_text(std::string_view what, std::string_view text,
                               std::size_t most = kMostDescriptionBytes);

// A JSON Schema with its texts as shown_text() writes them; no JSON stays as it is. Names of
// members with hidden characters are refused. What values are allowed is data, and stays verbatim:
// `enum`, `const`, `default`, `examples` and `pattern`.
Result<std::string> shown_schema_text(std::string_view schema);

// An untrusted name as errors quote it: short, on one line, nothing hidden.
std::string quoted_name(std::string_view name);

}  // namespace host::tool
