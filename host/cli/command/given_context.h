// Reads the data that `toolpost call` sends in addition to arguments: files (--attach), texts
// (--value) and typed entries (--entry TYPE=JSON). Only the called plugin gets the files, texts and
// entries, never the model.
#pragma once

#include <memory>

#include "base/result.h"
#include "cli/command/command_line.h"
#include "tool/call/call_context.h"

namespace host::cli {

// Opens the files that the command line names, and returns the files, values and typed entries.
// Returns null if the command line contains neither files, values nor entries.
Result<std::shared_ptr<const tool::CallContext>> given_context(const CommandLine& line);

}  // namespace host::cli
