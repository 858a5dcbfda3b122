// Reads the files, values and typed entries that `toolpost call` sends with a call. Only the called
// plugin gets these data, never the model.
#pragma once

#include <memory>

#include "base/result.h"
#include "cli/command/command_line.h"
#include "tool/call/call_context.h"

namespace host::cli {

// Opens the files, and returns all data. Returns null if the command line has none of these
// options.
Result<std::shared_ptr<const tool::CallContext>> given_context(const CommandLine& line);

}  // namespace host::cli
