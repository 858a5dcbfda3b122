// Explains a decision to users, for the command `toolpost explain TOOL ARGS`.
#pragma once

#include <string>

#include "permission/decision/decision.h"

namespace host::permission {

// Returns the explanation as text: the tool's claims that the host trusts, the result of each step,
// the decision with its reason, and rules that would change the decision. The explanation ends with
// `gate`, which says what else the class of the tool (such as priv_) requires for the call. `gate`
// can be empty.
std::string explain(const Decision& decision, const Trace& trace, const tool::Standing& standing,
                    const std::string& gate = {});

// Returns the explanation as a JSON object: {"standing": {"trust", "reads_only", "allows_itself"},
// "decision", "safety", "by", "message", "reason", "steps": [{"step", "said"}], "suggestions":
// [rule]}, and "gate" if it is not empty.
std::string explain_json(const Decision& decision, const Trace& trace,
                         const tool::Standing& standing, const std::string& gate = {});

}  // namespace host::permission
