// Makes a value that is valid against a schema, for test calls.
#pragma once

#include <optional>
#include <string>

#include "json/json.h"
#include "json/schema/schema.h"

namespace host::json::schema {

// JSON text, made from the schema's "examples", "const", "default" and "enum" if there are any,
// otherwise as small as its types, sizes and required members allow. nullopt if the value is not
// valid against `compiled`.
std::optional<std::string> example_of(const Value& schema, const Schema& compiled);

}  // namespace host::json::schema
