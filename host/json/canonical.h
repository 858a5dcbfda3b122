// One text for all texts that say the same object in another order of its members.
#pragma once

#include <string>

#include "json/json.h"

namespace host::json {

// Compact, with the members of every object in the order of their names' bytes. Numbers and strings
// as write() has them.
std::string canonical(const Value& value);

}  // namespace host::json
