#include "upstream/http/retry_pause.h"

#include <algorithm>

namespace host::upstream {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstRetry{1000};
constexpr milliseconds kLeastPause{50};
constexpr milliseconds kMostStandingPause{60'000};
constexpr std::chrono::seconds kLastingStream{5};

}  // namespace

milliseconds retry_pause(std::optional<milliseconds> requested) {
  return std::max(requested.value_or(kFirstRetry), kLeastPause);
}

milliseconds StandingPause::next(const Exchange::Outcome& outcome) {
  const bool lasted = outcome.had_events && steady_now() - opened_ >= kLastingStream;
  if (lasted) doublings_ = 0;
  if (outcome.retry) requested_ = outcome.retry;
  const milliseconds first = retry_pause(requested_);
  if (outcome.had_events && requested_) return first;
  const unsigned doublings = std::min(doublings_++, 10u);
  return std::min(kMostStandingPause, first * (1 << doublings));
}

}  // namespace host::upstream
