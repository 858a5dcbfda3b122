// How a decision came about, for people: `toolpost explain TOOL ARGS`.
#pragma once

#include <string>

#include "permission/decision.h"

namespace host::permission {

// One line for each step in its order, then the decision, its reason and the rules that would
// change it. Ends in a newline.
std::string explain(const Decision& decision, const Trace& trace);

// The same as a JSON object: {"decision", "safety", "by", "message", "reason", "steps": [{"step",
// "said"}], "suggestions": [rule]}.
std::string explain_json(const Decision& decision, const Trace& trace);

}  // namespace host::permission
