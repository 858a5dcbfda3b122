// Canonical JSON: the same text for all values that differ only in the order of object members.
#pragma once

#include <string>

#include "json/json.h"

namespace host::json {

// Writes compact JSON with the members of every object sorted by the bytes of their names. Numbers
// and strings are written as write() does.
std::string canonical(const Value& value);

}  // namespace host::json
