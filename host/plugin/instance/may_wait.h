// Marks threads that deliver the host's answers. On a thread with this mark, a plugin must not wait
// for an answer of the host.
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
