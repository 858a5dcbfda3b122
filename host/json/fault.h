// Makes Errors about one value inside a JSON text. The message of each Error begins with the JSON
// Pointer of the faulty value, so that REST can return the pointer to the client.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace host::json {

// Returns an InvalidArgument whose message has the pointer, a colon and `why`. An empty JSON
// Pointer means the whole JSON text. For an empty JSON Pointer, the message contains only `why`.
Error fault_at(std::string_view pointer, std::string_view why);

// Returns the pointer in an Error that fault_at() made. The result is empty if the Error is about
// the whole JSON text, or if other code made the Error.
std::string_view pointer_of(const Error& fault);

// Returns `pointer` extended by one member name or index, which is escaped.
std::string child_of(std::string_view pointer, std::string_view token);

}  // namespace host::json
