// Returns the MCP task of a record.
#pragma once

#include "tool/call/record.h"
#include "tool/definition/task.h"

namespace host::task {

// `keep` is the shortest time for which the host keeps a record that has not ended. This time
// becomes the task's ttl.
tool::Task task_of(const tool::Record& record, std::chrono::milliseconds keep,
                   std::chrono::milliseconds poll_interval);

}  // namespace host::task
