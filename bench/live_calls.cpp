// What it costs a call to be among the live ones (router/live/live_calls.h): its entry, three
// phases and its end, where nobody follows and where somebody does.
//
//   taskset -c 1 bench_live_calls [CALLS]   10,000,000 calls, beside 0 and 1000 others; the median
//   of nine stretches.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

#include "router/live/live_calls.h"

namespace {

using host::router::LiveCalls;
using host::tool::Call;
using host::tool::Phase;
using Clock = std::chrono::steady_clock;

constexpr int kStretches = 9;

double nanoseconds_of_one(LiveCalls& live, Call& call, long calls) {
  const Clock::time_point began = Clock::now();
  for (long i = 0; i < calls; ++i) {
    const auto entry = live.enter(call);
    live.enter_phase(call, Phase::Queued);
    live.enter_phase(call, Phase::Running);
    live.enter_phase(call, Phase::Checked);
    asm volatile("" : : "r"(&call) : "memory");  // or the compiler finds that nobody looks
  }
  return std::chrono::duration<double, std::nano>(Clock::now() - began).count() /
         static_cast<double>(calls);
}

double median_of_stretches(LiveCalls& live, Call& call, long calls) {
  std::vector<double> values;
  for (int i = 0; i < kStretches; ++i) {
    values.push_back(nanoseconds_of_one(live, call, calls / kStretches));
  }
  std::sort(values.begin(), values.end());
  return values[kStretches / 2];
}

// Whoever follows asks to be told again a moment later: here at once, which is the worst.
struct Follower {
  LiveCalls& live;
  long told = 0;
  void follow() {
    live.tell_next([this] {
      ++told;
      follow();
    });
  }
};

}  // namespace

int main(int count, char** words) {
  const long calls = count > 1 ? std::atol(words[1]) : 10'000'000;
  if (calls < kStretches) return 1;
  for (const int others : {0, 1000}) {
    LiveCalls live;
    std::deque<Call> other_calls(static_cast<std::size_t>(others));
    std::deque<LiveCalls::Entry> entries;
    for (Call& other : other_calls) entries.emplace_back(live, other);
    Call call;
    std::printf("beside %d others, nobody follows: %.1f ns a call\n", others,
                median_of_stretches(live, call, calls));
    Follower follower{live};
    follower.follow();
    std::printf("beside %d others, told of every change: %.1f ns a call\n", others,
                median_of_stretches(live, call, calls));
  }
  return 0;
}
