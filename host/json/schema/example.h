// A value made to fit a schema, for trying out what takes such values.
#pragma once

#include <optional>
#include <string>

#include "json/json.h"
#include "json/schema/schema.h"

namespace host::json::schema {

// JSON text: of the schema's own "examples", "const", "default" and "enum" where there are such,
// else as little as its rules on types, sizes and required members ask for. Nothing where what was
// made does not pass `compiled`, which decides.
std::optional<std::string> example_of(const Value& schema, const Schema& compiled);

}  // namespace host::json::schema
