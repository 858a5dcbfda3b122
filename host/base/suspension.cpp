#include "base/suspension.h"

#include <time.h>

namespace host {
namespace {

// A shorter suspension ends no connection.
constexpr std::chrono::seconds kLeastSuspension{1};

std::chrono::nanoseconds read_clock(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// CLOCK_BOOTTIME also counts the time during which the machine was suspended. A pause of the thread
// between the two reads makes the result smaller.
std::chrono::nanoseconds suspended_so_far() {
  const std::chrono::nanoseconds with = read_clock(CLOCK_BOOTTIME);
  return with - read_clock(CLOCK_MONOTONIC);
}

}  // namespace

SuspensionWatch::SuspensionWatch() : suspended_(suspended_so_far()) {}

bool SuspensionWatch::was_suspended() {
  const std::chrono::nanoseconds now = suspended_so_far();
  if (now - suspended_ < kLeastSuspension) return false;
  suspended_ = now;
  return true;
}

}  // namespace host
