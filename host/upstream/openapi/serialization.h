// Writes arguments into the path, the query and the headers of a request, as OpenAPI's `style` and
// `explode` say. Every character that could end a part of a URL is percent-encoded. The functions
// of serialization.h have no side effects.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json.h"
#include "upstream/openapi/operation.h"

namespace host::upstream::openapi {

// If a parameter cannot have a value, the functions that return a Result return the Error
// InvalidArgument. The Error's message names the argument.

// Returns the text that replaces {name} in the path. Returns an Error if the path text is empty or
// has a segment `.` or `..`.
Result<std::string> path_text(const Parameter& parameter, const json::Value& value);

// Returns a text such as "name=value&name=value". If the returned text is empty, the request omits
// the parameter. `taken` contains the names of the request's other parameters. A member of an
// object in `value` must not have one of the names in `taken`.
Result<std::string> query_text(const Parameter& parameter, const json::Value& value,
                               const std::set<std::string>& taken);

// Returns the value of a header. Returns an Error if the value contains control characters (also
// line ends) or has more than 4096 bytes.
Result<std::string> header_text(const Parameter& parameter, const json::Value& value);

// Returns true if a segment of the path is `.` or `..`, plain or percent-encoded.
bool has_dot_segment(std::string_view path);

std::string encoded(std::string_view text);  // encodes all except letters, digits, -._~

}  // namespace host::upstream::openapi
