// The files, values and typed entries that `toolpost call` sends with a call. Only the plugin gets
// them, never the model.
#pragma once

#include <memory>

#include "base/result.h"
#include "cli/command/command_line.h"
#include "tool/call/call_context.h"

namespace host::cli {

// Opens the files. Null: the command line has none of these options.
Result<std::shared_ptr<const tool::CallContext>> given_context(const CommandLine& line);

}  // namespace host::cli
