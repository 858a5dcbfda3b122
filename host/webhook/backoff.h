// Computes when the host attempts a failed delivery again. The function pause_after() has no side
// effects.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace host::webhook {

inline constexpr std::uint32_t kLeastAttempts = 5;

struct Retries {
  std::chrono::milliseconds first{std::chrono::seconds(5)};  // the pause after the first attempt
  std::chrono::milliseconds most{std::chrono::hours(12)};    // the longest pause
  // `lasts` is the time for which the host attempts a delivery before the delivery becomes a dead
  // letter.
  std::chrono::milliseconds lasts{std::chrono::hours(72)};
};

// Returns the pause before the next attempt. Each pause is four times the previous pause, and up to
// one fifth longer or shorter. So deliveries that failed at the same time are repeated at different
// times. The last attempt is made when Retries::lasts has passed. Even if the time Retries::lasts
// passed while the host was stopped, the host makes at least kLeastAttempts attempts.
//
// `attempts` is the number of attempts to send the delivery so far, at least 1. `age` is the age of
// the delivery. `dice` is a random number in [0, 1). `asked` is the receiver's requested pause
// (Retry-After). Returns nullopt if no attempt is left.
std::optional<std::chrono::milliseconds> pause_after(
    const Retries& retries, std::uint32_t attempts, std::chrono::milliseconds age, double dice,
    std::optional<std::chrono::milliseconds> asked = std::nullopt);

}  // namespace host::webhook
