// Keeps the texts of faults from callers.
#pragma once

#include "base/result.h"
#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::tool {

// Returns the result of `call` as the caller may see it. The text of a fault inside the host or a
// plugin (ErrorKind::Internal, ErrorKind::Io) can contain data that no interceptor has checked, so
// the function writes it to the log only. The caller gets the id of the call instead of the text.
// An operator finds the text in the log by the id. If the function is called again with its own
// result, it returns the same result and logs nothing.
Result<CallResult> without_fault_text(const Call& call, Result<CallResult> result);

}  // namespace host::tool
