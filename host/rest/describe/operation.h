// One operation of the OpenAPI document.
#pragma once

#include <string>
#include <string_view>

#include "identity/scopes.h"
#include "json/json.h"

namespace host::rest {

// "/v1/tools/request/{session}/{request}" of "/v1/tools/request/*/*"
std::string path_with_names(std::string_view pattern);

// The Operation Object. `described` is as fragments.h says; `scopes` empty: it needs no key.
std::string operation_json(std::string_view path, const json::Value& described,
                           identity::Scopes scopes);

}  // namespace host::rest
