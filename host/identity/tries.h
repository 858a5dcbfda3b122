// Counts attempts within a minute, separately for each name (for example an address or a key's id).
// A Tries object remembers a limited number of names. The functions of this header are called on
// the I/O thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"

namespace host::identity {

class Tries {
 public:
  Tries(const Clock& clock, std::uint32_t most) : clock_(clock), most_(most) {}

  // Counts an attempt. Returns how long the client must wait if there were too many attempts.
  std::optional<std::chrono::seconds> count(std::string_view name);

 private:
  struct Window {
    std::uint32_t count = 0;
    SteadyTime since{};
  };
  void make_room(SteadyTime now);

  const Clock& clock_;
  const std::uint32_t most_;  // maximum number of attempts within a minute
  std::unordered_map<std::string, Window> windows_;
};

}  // namespace host::identity
