// Returns memory to the system after many connections or sessions have closed. The allocator does
// not return the memory of closed connections to the system by itself.
#pragma once

#include <cstddef>

namespace host {

// Counts one kind of connection or session. When most of the connections have closed, the Crowd
// returns free memory to the system. To return free memory takes a few milliseconds. A Crowd is not
// thread-safe.
class Crowd {
 public:
  void is(std::size_t now);

 private:
  std::size_t most_ = 0;  // the highest count since memory was last returned
};

}  // namespace host
