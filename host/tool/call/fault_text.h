// Keeps the error texts of faults away from callers.
#pragma once

#include "base/result.h"
#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::tool {

// Returns the result of `call` as the caller may see it. The text of a fault inside the host or a
// plugin (ErrorKind::Internal, ErrorKind::Io) can contain data that no interceptor has checked.
// without_fault_text() writes the text of a fault inside the host or a plugin only to the log. The
// caller gets the id of the call instead of the error text. An operator can find the error text in
// the log by the id of the call. If without_fault_text() is called again with its own result, it
// returns the same result and logs nothing.
Result<CallResult> without_fault_text(const Call& call, Result<CallResult> result);

}  // namespace host::tool
