// Returns the MCP task of a record.
#pragma once

#include "tool/call/record.h"
#include "tool/definition/task.h"

namespace host::task {

// The task's ttl is the time from the record's creation to its expiry. A record that has not ended
// has no expiry yet. If a record has not ended, the ttl of its task ends when the time `keep` has
// passed since the last change of the record.
tool::Task task_of(const tool::Record& record, std::chrono::milliseconds keep,
                   std::chrono::milliseconds poll_interval);

}  // namespace host::task
