#include "upstream/connection/reading_pace.h"

#include <algorithm>
#include <chrono>

#include "upstream/connection/transport.h"

namespace host::upstream {
namespace {

constexpr std::chrono::hours kLongestReading{1};  // it ends earlier

}  // namespace

void ReadingPace::count() {
  const SteadyTime now = steady_now();
  const auto due = flood_.take(now);
  if (due.count() == 0) return;
  flood_until_ = now + due;
  if (held_ == 0) pause();
}

std::shared_ptr<const void> ReadingPace::hold() {
  ++held_;
  pause();
  return {this, [alive = alive_](ReadingPace* self) {
            if (*alive && --self->held_ == 0) self->pause();
          }};
}

// A pause replaces the one before in the transport, so only this function makes one: the longest
// that is due.
void ReadingPace::pause() {
  using std::chrono::milliseconds;
  const auto flood = std::chrono::ceil<milliseconds>(flood_until_ - steady_now());
  const milliseconds due = std::max(flood, milliseconds(0));
  transport_.pause_reading(held_ > 0 ? milliseconds(kLongestReading) : due);
}

}  // namespace host::upstream
