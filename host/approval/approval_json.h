// An approval as people's programs read it: REST and `toolpost approvals --json`.
#pragma once

#include <string>
#include <string_view>

#include "approval/verdict.h"
#include "store/approval_store.h"

namespace host::approval {

// Of the arguments as they stand in the record. Who says yes gives it back, so that nobody says yes
// to what was not shown.
std::string digest_text(const store::ApprovalRecord& record);

std::string as_json(const store::ApprovalRecord& record);
// The record, and `stored_rules`: those that the answer made, mostly none; rules: a JSON array; and
// `warning` where it is not empty.
std::string as_json(const Decided& decided, std::string_view rules,
                    const std::string& warning = {});

// What a yes has to say where another build is there than the one that was asked about; empty: it
// was a no, or `is_same`.
std::string build_warning(const store::ApprovalRecord& record, bool is_same);

}  // namespace host::approval
