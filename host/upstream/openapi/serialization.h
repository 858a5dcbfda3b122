// Writes arguments into the path, the query and the headers of a request, as OpenAPI's `style` and
// `explode` say. Every character that could end a part of a URL is percent-encoded. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json.h"
#include "upstream/openapi/operation.h"

namespace host::upstream::openapi {

// All functions return InvalidArgument for a value that the parameter cannot have. The message
// names the argument.

// The text in place of {name}. Refuses a value that is empty, or that has a segment `.` or `..`.
Result<std::string> path_text(const Parameter& parameter, const json::Value& value);

// "name=value&name=value"; empty: nothing is sent. `taken`: names of other parameters, which the
// members of an object may not have.
Result<std::string> query_text(const Parameter& parameter, const json::Value& value,
                               const std::set<std::string>& taken);

// Refuses control characters, among them line ends.
Result<std::string> header_text(const Parameter& parameter, const json::Value& value);

// True if a segment of the path is `.` or `..`, also percent-encoded.
bool has_dot_segment(std::string_view path);

std::string encoded(std::string_view text);  // all but letters, digits and -._~

}  // namespace host::upstream::openapi
