// The outcomes of audit lines: how a call ended, or what became of an event.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::store {

// The outcomes of calls, in the order of docs/operate/watching.md.
std::vector<std::string_view> call_outcomes();

// InvalidArgument: no line has this outcome. Empty is valid for any outcome.
Result<void> check_audit_outcome(std::string_view word);

}  // namespace host::store
