// Writes one operation of the OpenAPI document.
#pragma once

#include <string>
#include <string_view>

#include "identity/scopes.h"
#include "json/json.h"

namespace host::rest {

// Returns "/v1/tools/request/{session}/{request}" for "/v1/tools/request/*/*".
std::string path_with_names(std::string_view pattern);

// Returns OpenAPI's Operation Object as JSON text. `described` has the form that fragments.h
// describes. If `scopes` is empty, the operation needs no key.
std::string operation_json(std::string_view path, const json::Value& described,
                           identity::Scopes scopes);

// Returns the Header Objects of the headers of responses, by name, as JSON text.
std::string response_headers_json();

}  // namespace host::rest
