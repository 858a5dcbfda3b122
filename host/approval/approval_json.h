// An approval as JSON, for REST and `toolpost approvals --json`.
#pragma once

#include <string>
#include <string_view>

#include "approval/verdict.h"
#include "store/approval_store.h"

namespace host::approval {

// Digest of the arguments in the record. An approval has to repeat it, so that nobody approves
// arguments that were not shown.
std::string digest_text(const store::ApprovalRecord& record);

std::string as_json(const store::ApprovalRecord& record);
// The record, with `stored_rules` (the rules that the decision stored, a JSON array, usually empty)
// and, if it is not empty, `warning`.
std::string as_json(const Decided& decided, std::string_view rules,
                    const std::string& warning = {});

// The warning for an approval if the plugin has a different build now than when the approval was
// requested. Empty after a rejection, or if `is_same`.
std::string build_warning(const store::ApprovalRecord& record, bool is_same);

}  // namespace host::approval
