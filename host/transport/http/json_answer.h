// Answers HTTP requests with JSON: with JSON bodies, and with errors in the form that the request's
// path requires.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "transport/http/http.h"
#include "transport/http/problem.h"

namespace host::transport {

// Writes a problem document, or a JSON-RPC error without an id.
std::string error_text(ErrorForm form, Problem problem, std::string_view message);
// Returns the member `data` of the JSON-RPC error for `problem`.
std::string error_data(Problem problem);
std::string_view error_content_type(ErrorForm form);
void answer_refusal(HttpExchange& exchange, const HttpRefusal& refusal,
                    ErrorForm form = ErrorForm::Rest);

void answer_json(HttpExchange& exchange, int status, std::string json, Headers headers = {});
// `json` is a problem document of `problem`, which can have further members.
void answer_problem(HttpExchange& exchange, Problem problem, std::string json,
                    Headers headers = {});
void answer_error(HttpExchange& exchange, Problem problem, std::string_view message,
                  Headers headers = {});
void answer_error(HttpExchange& exchange, const Error& error);
// Answers with the status 405 and the allowed methods.
void answer_wrong_method(HttpExchange& exchange, const std::string& allowed);

bool is_json_type(std::string_view content_type);

}  // namespace host::transport
