// Answers of JSON to requests that are no MCP: bodies, and errors of one shape.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "transport/http.h"

namespace host::transport {

// {"error":{"kind":"not_found","message":"..."}}
std::string error_json(std::string_view kind, std::string_view message);

void answer_json(HttpExchange& exchange, int status, std::string json, Headers headers = {});
void answer_error(HttpExchange& exchange, int status, std::string_view kind,
                  std::string_view message);
// With the status that its kind means.
void answer_error(HttpExchange& exchange, const Error& error);
// 405, naming what is allowed.
void answer_wrong_method(HttpExchange& exchange, const std::string& allowed);

bool is_json_type(std::string_view content_type);

}  // namespace host::transport
