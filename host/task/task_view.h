// Returns the MCP task of a record.
#pragma once

#include "tool/call/record.h"
#include "tool/definition/task.h"

namespace host::task {

// The task's ttl is the time from the record's creation to its expiry. For a record that has not
// ended, task_of() takes the record's last change plus `keep` as the expiry.
tool::Task task_of(const tool::Record& record, std::chrono::milliseconds keep,
                   std::chrono::milliseconds poll_interval);

}  // namespace host::task
