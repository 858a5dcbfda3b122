// Explains a decision to users: `toolpost explain TOOL ARGS`.
#pragma once

#include <string>

#include "permission/decision/decision.h"

namespace host::permission {

// In this order: which of the tool's claims are accepted, one line for each step, the decision, its
// reason, the rules that would change it, and `gate`: what else the tool's class requires for such
// a call (may be empty). Ends in a newline.
std::string explain(const Decision& decision, const Trace& trace, const tool::Standing& standing,
                    const std::string& gate = {});

// Same as a JSON object: {"standing": {"trust", "reads_only", "allows_itself"}, "decision",
// "safety", "by", "message", "reason", "steps": [{"step", "said"}], "suggestions": [rule]}, and
// "gate" if it is not empty.
std::string explain_json(const Decision& decision, const Trace& trace,
                         const tool::Standing& standing, const std::string& gate = {});

}  // namespace host::permission
