// Marks threads on which a plugin must not wait for an answer of the host, because these threads
// deliver the answers.
#pragma once

#include <utility>

namespace host::plugin {

inline thread_local bool this_thread_may_wait = true;

// While a MayNotWait exists, the host refuses any request with which a plugin would block this
// thread.
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
