// An approval as people's programs read it: REST and `toolpost approvals --json`.
#pragma once

#include <string>

#include "store/approval_store.h"
#include "store/rule_store.h"

namespace host::approval {

// Of the arguments as they stand in the record. Who says yes gives it back, so that nobody says yes
// to what was not shown.
std::string digest_text(const store::ApprovalRecord& record);

std::string as_json(const store::ApprovalRecord& record);
std::string as_json(const store::RuleRecord& rule);

}  // namespace host::approval
