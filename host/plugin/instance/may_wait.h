// Marks the threads that deliver the host's answers, because a plugin must not wait for an answer
// on such a thread.
#pragma once

#include <utility>

namespace host::plugin {

inline thread_local bool this_thread_may_wait = true;

// While a MayNotWait exists on a thread, the host refuses requests with which a plugin would block
// the thread.
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
