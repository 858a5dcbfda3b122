// Clients' tasks, so that they survive a restart of their host. Every call blocks; one thread at a
// time. A change survives the process once its call has returned.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "tool/task.h"

namespace host::store {

class TaskStore {
 public:
  virtual ~TaskStore() = default;

  // Adds a task or updates it. `owner`: the address at which it is served.
  virtual Result<void> put(const tool::Task& task, std::string_view owner) = 0;
  virtual Result<std::vector<tool::Task>> list(std::string_view owner) = 0;
  // Removes expired tasks of all owners.
  virtual Result<void> forget_expired(WallTime now) = 0;
};

}  // namespace host::store
