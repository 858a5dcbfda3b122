// How a decision came about, for people: `toolpost explain TOOL ARGS`.
#pragma once

#include <string>

#include "permission/decision/decision.h"

namespace host::permission {

// What is in force of the tool's own word, then one line for each step in its order, then the
// decision, its reason and the rules that would change it, then `gate`: what else the tool's class
// means for such a call; empty: nothing. Ends in a newline.
std::string explain(const Decision& decision, const Trace& trace, const tool::Standing& standing,
                    const std::string& gate = {});

// The same as a JSON object: {"standing": {"trust", "reads_only", "allows_itself"}, "decision",
// "safety", "by", "message", "reason", "steps": [{"step", "said"}], "suggestions": [rule]},
// and "gate" where it is not empty.
std::string explain_json(const Decision& decision, const Trace& trace,
                         const tool::Standing& standing, const std::string& gate = {});

}  // namespace host::permission
