// Limits the rate of events separately for each name: `quota` events without a pause, and then
// `quota` events per `window`, evenly distributed. The table removes a name when its whole quota is
// available again. If the table is full, further names share one quota.
//
// For each name, the table stores only one time: when the whole quota of the name will be available
// again (the generic cell rate algorithm). Call the functions of this header on the I/O thread.
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
  std::uint32_t quota = 0;  // must not be 0
  std::chrono::nanoseconds window{};
};

class RateTable {
 public:
  // `clock` must outlive the RateTable.
  RateTable(const Clock& clock, std::size_t most_names);

  struct Taken {
    bool granted = false;
    std::uint32_t left = 0;              // events left in the quota
    std::chrono::seconds until_whole{};  // time until the whole quota is available, rounded up
    std::chrono::seconds until_next{};   // set if not granted: until the next event, at least 1 s
  };
  Taken take(std::string_view name, const Rate& rate);
  // Undoes a successful take(), because the request was refused for a different reason. `granted`
  // is true in the returned Taken.
  Taken give_back(std::string_view name, const Rate& rate);

  std::size_t size() const { return whole_at_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>()(name);
    }
  };
  using Times = std::unordered_map<std::string, SteadyTime, Hash, std::equal_to<>>;

  static Taken taken(bool granted, SteadyTime whole_at, SteadyTime now, const Rate& rate);
  SteadyTime& whole_at(std::string_view name, SteadyTime now);
  void forget(SteadyTime now);

  const Clock& clock_;
  const std::size_t most_names_;
  Times whole_at_;
  SteadyTime shared_whole_at_{};  // like whole_at_, for all names that are not in the table
  std::size_t forget_at_;         // number of names at which unused names are removed
  SteadyTime next_forget_{};      // earliest time to look for unused names in a full table
};

}  // namespace host
