// Threads on which a plugin may not wait for an answer of the host's, because they bring it.
#pragma once

#include <utility>

namespace host::plugin {

inline thread_local bool this_thread_may_wait = true;

// While it lives, nothing waits on this thread.
class [[nodiscard]] MayNotWait {
 public:
  MayNotWait() : before_(std::exchange(this_thread_may_wait, false)) {}
  MayNotWait(const MayNotWait&) = delete;
  MayNotWait& operator=(const MayNotWait&) = delete;
  ~MayNotWait() { this_thread_may_wait = before_; }

 private:
  const bool before_;
};

}  // namespace host::plugin
