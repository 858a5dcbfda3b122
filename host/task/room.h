// Enforces the limits of detached calls. If a principal reaches a limit, the class Room deletes the
// principal's ended calls, oldest first. The functions of Room are called on the I/O thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "task/records.h"

namespace host::task {

class Room {
 public:
  struct Limits {
    std::size_t all = 20'000;                      // limits.detached_calls: of all principals
    std::size_t per_principal = 5'000;             // limits.detached_calls_per_principal
    std::size_t bytes_per_principal = 64u << 20u;  // limits.detached_bytes_per_principal
    std::function<void(std::string_view limit)> on_refusal = {};
  };
  // `records` must outlive the Room.
  Room(Records& records, Limits limits) : records_(records), limits_(std::move(limits)) {}

  enum class Adds { Record, Bytes };  // Bytes: an existing record gets larger
  // Deletes ended calls of a principal if `bytes` more bytes of records would exceed a limit.
  // Returns the Error Unavailable if deleting all ended calls is not enough.
  Result<void> make(const std::string& principal, std::size_t bytes, Adds adds = Adds::Record);
  // Returns true if a record of `bytes` bytes exceeds the principal's own limits. Calls of other
  // principals do not influence the result of is_full_for().
  bool is_full_for(const std::string& principal, std::size_t bytes) const;

 private:
  std::string_view limit_reached(const Records::Sizes& own, std::size_t all, std::size_t bytes,
                                 Adds adds) const;
  Error full(std::string_view limit) const;

  Records& records_;
  const Limits limits_;
};

}  // namespace host::task
