// A record as an MCP task.
#pragma once

#include "tool/record.h"
#include "tool/task.h"

namespace host::task {

// `keep`: how long a record that has not ended is kept at least, for its ttl.
tool::Task task_of(const tool::Record& record, std::chrono::milliseconds keep,
                   std::chrono::milliseconds poll_interval);

}  // namespace host::task
