// Makes a value that is valid against a schema, for test calls.
#pragma once

#include <optional>
#include <string>

#include "json/json.h"
#include "json/schema/schema.h"

namespace host::json::schema {

// Returns the JSON text of a value. The value follows the schema's "examples", "const", "default"
// and "enum". Without "examples", "const", "default" and "enum" in the schema, the value is as
// small as the types, sizes and required members allow. Returns nullopt if the value that was made
// is not valid against `compiled`.
std::optional<std::string> example_of(const Value& schema, const Schema& compiled);

}  // namespace host::json::schema
