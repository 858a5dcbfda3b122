// The time of the next attempt of a failed delivery. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace host::webhook {

struct Retries {
  std::chrono::milliseconds first{std::chrono::seconds(5)};  // the pause after the first attempt
  std::chrono::milliseconds most{std::chrono::hours(12)};    // the longest pause
  std::chrono::milliseconds lasts{std::chrono::hours(72)};   // after this time, it is a dead letter
};

// Each pause is four times the previous pause, plus or minus up to a fifth. So deliveries that
// failed at the same time are not repeated at the same time. The last attempt is at the end of the
// time.
//
// `attempts`: so far, at least 1. `age`: of the delivery. `dice`: a random number in [0, 1).
// `asked`: the pause that the receiver requested (Retry-After). Returns nullopt when the time is
// over.
std::optional<std::chrono::milliseconds> pause_after(
    const Retries& retries, std::uint32_t attempts, std::chrono::milliseconds age, double dice,
    std::optional<std::chrono::milliseconds> asked = std::nullopt);

}  // namespace host::webhook
