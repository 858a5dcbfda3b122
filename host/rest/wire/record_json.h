// Writes the record of a detached call as a JSON object.
#pragma once

#include <string>

#include "task/records.h"
#include "tool/call/record.h"

namespace host::rest {

// Says whether the JSON object contains the result of the call. Lists omit results, because results
// can be large.
enum class Results { Shown, LeftOut };

std::string record_json(const tool::Record& record, const task::Records::LastBeat& beat,
                        Results results = Results::Shown);

}  // namespace host::rest
