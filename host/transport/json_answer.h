// Answers of JSON: bodies, and errors in the form that their path has.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "transport/http.h"

namespace host::transport {

// {"error":{"kind":"not_found","message":"..."}}
std::string error_json(std::string_view kind, std::string_view message);
// An error about one value of a body also has `pointer` (json/fault.h).
std::string error_json(const Error& fault);

// The same, or a JSON-RPC error without an id.
std::string error_text(ErrorForm form, int status, std::string_view kind, std::string_view message);
void answer_refusal(HttpExchange& exchange, const HttpRefusal& refusal,
                    ErrorForm form = ErrorForm::Rest);

void answer_json(HttpExchange& exchange, int status, std::string json, Headers headers = {});
void answer_error(HttpExchange& exchange, int status, std::string_view kind,
                  std::string_view message);
// The error's kind determines the status.
void answer_error(HttpExchange& exchange, const Error& error);
// 405, with the allowed methods.
void answer_wrong_method(HttpExchange& exchange, const std::string& allowed);

bool is_json_type(std::string_view content_type);

}  // namespace host::transport
