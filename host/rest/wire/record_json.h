// The record of a detached call as JSON.
#pragma once

#include <string>

#include "task/records.h"
#include "tool/call/record.h"

namespace host::rest {

// Lists omit results, because they may be large.
enum class Results { Shown, LeftOut };

std::string record_json(const tool::Record& record, const task::Records::LastBeat& beat,
                        Results results = Results::Shown);

}  // namespace host::rest
