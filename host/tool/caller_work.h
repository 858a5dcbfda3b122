// Work that a caller does instead of the host: client-supplied and external tools. Implemented by
// task/. I/O thread only.
#pragma once

#include <memory>

#include "tool/invocation.h"

namespace host::tool {

class CallerWork {
 public:
  virtual ~CallerWork() = default;
  // Announces the call to callers. invocation->finish() follows when its record has ended, or when
  // the client of the call should not wait longer.
  virtual void hand_over(std::shared_ptr<Invocation> invocation) = 0;
  // Its cancellation was requested. finish() follows.
  virtual void take_back(const std::shared_ptr<Invocation>& invocation) = 0;
};

}  // namespace host::tool
