// Limits how often each of many names may do something: `quota` times at once, and as often again
// within each `window`, evenly. Names that come and go leave nothing behind: a name is forgotten
// once its whole quota is there again. If more names than the table may have are in use at once,
// those that come then share one quota.
//
// A name takes one point in time: when its quota would be whole again if nothing more came (the
// generic cell rate algorithm). I/O thread only.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"

namespace host {

struct Rate {
  std::uint32_t quota = 0;  // not 0
  std::chrono::nanoseconds window{};
};

class RateTable {
 public:
  // `clock` must outlive it.
  RateTable(const Clock& clock, std::size_t most_names);

  struct Taken {
    bool granted = false;
    std::uint32_t left = 0;              // of the quota
    std::chrono::seconds until_whole{};  // rounded up
    std::chrono::seconds until_next{};   // if it was not granted: at least one second
  };
  Taken take(std::string_view name, const Rate& rate);
  // Undoes a take() that was granted, because something else refused.
  void give_back(std::string_view name, const Rate& rate);

  std::size_t size() const { return whole_at_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>()(name);
    }
  };
  using Times = std::unordered_map<std::string, SteadyTime, Hash, std::equal_to<>>;

  SteadyTime& whole_at(std::string_view name, SteadyTime now);
  void forget(SteadyTime now);

  const Clock& clock_;
  const std::size_t most_names_;
  Times whole_at_;
  SteadyTime shared_whole_at_{};  // of the names that found no room
  std::size_t forget_at_;         // names
  SteadyTime next_forget_{};      // of a table that is full of names in use
};

}  // namespace host
