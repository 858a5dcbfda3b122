// Errors about one value inside a JSON text. The message begins with the value's JSON Pointer. So
// the pointer stays in the error in every layer, and REST can return it as a member.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace host::json {

// InvalidArgument, `POINTER: WHY`. An empty pointer is the whole text, and the message is only WHY.
Error fault_at(std::string_view pointer, std::string_view why);

// The pointer of an Error of fault_at(). Empty for the whole text, and for any other Error.
std::string_view pointer_of(const Error& fault);

// `pointer` extended by one member name or index, which is escaped.
std::string child_of(std::string_view pointer, std::string_view token);

}  // namespace host::json
