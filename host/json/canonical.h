// The same text for all texts that differ only in the order of object members.
#pragma once

#include <string>

#include "json/json.h"

namespace host::json {

// Compact, with the members of every object sorted by the bytes of their names. Numbers and strings
// as in write().
std::string canonical(const Value& value);

}  // namespace host::json
