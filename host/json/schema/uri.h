// Resolves URI references (RFC 3986), as far as schemas use them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace host::json::schema {

struct SplitUri {
  std::string_view without_fragment;
  std::string_view fragment;  // without the '#'
};

bool is_scheme(std::string_view text);  // RFC 3986, 3.1, without the ':'
SplitUri split_fragment(std::string_view uri);
std::string resolve_uri(std::string_view base, std::string_view reference);  // RFC 3986, 5.2
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace host::json::schema
