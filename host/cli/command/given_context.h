// What `call` gives along with a call, for the plugin and never for the model: files, values and
// typed entries.
#pragma once

#include <memory>

#include "base/result.h"
#include "cli/command/command_line.h"
#include "tool/call_context.h"

namespace host::cli {

// Null where the person gave nothing. Opens the files.
Result<std::shared_ptr<const tool::CallContext>> given_context(const CommandLine& line);

}  // namespace host::cli
