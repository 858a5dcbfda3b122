// The time of the next attempt of a failed delivery. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace host::webhook {

inline constexpr std::uint32_t kLeastAttempts = 5;

struct Retries {
  std::chrono::milliseconds first{std::chrono::seconds(5)};  // the pause after the first attempt
  std::chrono::milliseconds most{std::chrono::hours(12)};    // the longest pause
  std::chrono::milliseconds lasts{std::chrono::hours(72)};   // after this time, it is a dead letter
};

// Each pause is four times the one before, and up to a fifth longer or shorter, so that deliveries
// that failed together do not come back together. The last attempt is at the end of the time. A
// host that was stopped for that long makes kLeastAttempts nevertheless.
//
// `attempts` so far, at least 1. `age` of the delivery. `dice` is in [0, 1). `asked`: the pause
// that the receiver asked for (Retry-After). nullopt: the time is over.
std::optional<std::chrono::milliseconds> pause_after(
    const Retries& retries, std::uint32_t attempts, std::chrono::milliseconds age, double dice,
    std::optional<std::chrono::milliseconds> asked = std::nullopt);

}  // namespace host::webhook
