// An approval as JSON, for REST and `toolpost approvals --json`.
#pragma once

#include <string>
#include <string_view>

#include "approval/verdict.h"
#include "store/part/approval_store.h"

namespace host::approval {

// Digest of the arguments in the record. An approval must repeat this digest, so that nobody
// approves arguments that they have not seen.
std::string digest_text(const store::ApprovalRecord& record);

std::string as_json(const store::ApprovalRecord& record);
// The record as a JSON object. `rules`: a JSON array of the rules that the decision stored, usually
// empty; it becomes the member `stored_rules`. `warning` is a member if it is not empty.
std::string as_json(const Decided& decided, std::string_view rules,
                    const std::string& warning = {});

// The warning for an approval if the plugin has a different build now than when the approval was
// requested. Empty after a rejection, or if `is_same`.
std::string build_warning(const store::ApprovalRecord& record, bool is_same);

}  // namespace host::approval
