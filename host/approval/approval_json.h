// Writes an approval request as JSON, for REST and `toolpost approvals --json`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "approval/verdict.h"
#include "store/part/approval_store.h"

namespace host::approval {

// Returns the digest of the record's arguments, for the audit.
std::string digest_text(const store::ApprovalRecord& record);
// Returns the digest of the record's arguments and context. A reviewer's decision must repeat the
// digest, so that no reviewer approves a call without having seen it. If the call has no context,
// the function returns the digest of the arguments.
std::string digest_to_repeat(const store::ApprovalRecord& record);

// If the arguments, the context or the edited arguments are longer than `longest` bytes, the JSON
// object contains their length in bytes instead of their text.
std::string as_json(const store::ApprovalRecord& record, std::size_t longest = std::string::npos);
// Returns the record after the decision, as a JSON object. `rules` is a JSON array of the rules
// that the decision stored, usually empty. The array `rules` becomes the member `stored_rules` of
// the object. If the text `warning` is not empty, it becomes the member `warning`.
std::string as_json(const Decided& decided, std::string_view rules,
                    const std::string& warning = {});

// Returns a warning if the plugin now has a different build than at the time of the approval
// request. The returned text is empty if the request is a question or was rejected, or if `is_same`
// says that the plugin still has the same build.
std::string build_warning(const store::ApprovalRecord& record, bool is_same);

}  // namespace host::approval
