// Peers come in crowds and leave: their memory should leave with them, which the allocator does not
// see to by itself.
#pragma once

#include <cstddef>

namespace host {

// Counts one kind of peer. When most of a crowd has left, what the allocator holds free goes back
// to the system. A few milliseconds then, nothing else; no thread safety.
class Crowd {
 public:
  void is(std::size_t now);

 private:
  std::size_t most_ = 0;  // since memory was last given back
};

}  // namespace host
