// Tasks of clients, so that what was told of them holds when their host is started again. Every
// call blocks; one thread at a time. What was answered survives the process.
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

  // A new one, or the newer state of one that is there. `owner`: the address at which it is served.
  virtual Result<void> put(const tool::Task& task, std::string_view owner) = 0;
  virtual Result<std::vector<tool::Task>> list(std::string_view owner) = 0;
  // Of any owner.
  virtual Result<void> forget_expired(WallTime now) = 0;
};

}  // namespace host::store
