// The mark of an approved call (tool::kPassedKey) shows that the call needs no second approval. The
// mark is one of the call's answers. It is valid only for the same arguments, for the same builds,
// and for the same kind of approval.
#pragma once

#include "tool/call/call.h"
#include "tool/definition/tool.h"

namespace host::approval {

struct Request;

bool is_marked_approved(const tool::Call& call, const tool::Tool& tool, const Request& request);
void mark_approved(tool::Call& call, const tool::Tool& tool, const Request& request);

}  // namespace host::approval
