// Some servers take the method, the path or the client address from certain headers or query
// parameters, and not from the request itself. The host sends no argument of a call in a header or
// query parameter that can override parts of the request.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "base/text/letters.h"

namespace host::upstream::openapi {

// Returns the name of a header in lower case, with `-` in place of `_`. Servers behind CGI or WSGI
// treat `-` and `_` alike.
inline std::string plain_header(std::string_view name) {
  std::string plain = lower(name);
  std::replace(plain.begin(), plain.end(), '_', '-');
  return plain;
}

// Returns true if a header with this name can override parts of a request. `name` is a
// plain_header().
inline bool is_override_header(std::string_view name) {
  constexpr std::string_view kOverrides[] = {"forwarded", "x-real-ip"};
  constexpr std::string_view kPrefixes[] = {"x-forwarded-", "x-http-method", "x-method",
                                            "x-original-", "x-rewrite-"};
  return std::find(std::begin(kOverrides), std::end(kOverrides), name) != std::end(kOverrides) ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [name](std::string_view prefix) { return name.starts_with(prefix); });
}

// Returns true if some servers take the method of a request from the query parameter with this
// name.
inline bool is_override_query(std::string_view name) {
  constexpr std::string_view kOverrides[] = {"_http_method",     "_method",
                                             "http_method",      "method_override",
                                             "x-http-method",    "x-http-method-override",
                                             "x-method-override"};
  return std::any_of(std::begin(kOverrides), std::end(kOverrides),
                     [name](std::string_view one) { return same_letters(one, name); });
}

}  // namespace host::upstream::openapi
