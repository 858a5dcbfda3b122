// Turns the response of an operation into the output schema of a tool.
#pragma once

#include <cstddef>
#include <string>

#include "upstream/openapi/api_document.h"

namespace host::upstream::openapi {

// kMostOutputBytes is the maximum size of an output schema without references. If an output schema
// is longer than kMostOutputBytes, the tool gets no output schema.
inline constexpr std::size_t kMostOutputBytes = 16u << 10u;

// Returns the schema of the operation's only successful response (2xx) as a tool's outputSchema,
// which is JSON with the type "object". The returned text is empty if the operation has no
// successful response or several, if the response is not always a JSON object (application/json),
// or if its schema cannot be written (schema_writer.h, Purpose::Answer). A response without a
// usable schema never makes the operation unusable.
std::string output_schema_of(ApiDocument& document, const json::Value& operation);

}  // namespace host::upstream::openapi
