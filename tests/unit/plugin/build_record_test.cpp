// Backoff, quarantine and refused inputs, by numbers alone.
#include "plugin/serving/build_record.h"

#include <gtest/gtest.h>

namespace host::plugin {
namespace {

using namespace std::chrono_literals;

const SteadyTime kBegin{std::chrono::hours(1)};

long pause_ms(const BuildRecord& record, SteadyTime at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(record.next_start() - at).count();
}

class CallWith : public tool::Invocation {
 public:
  explicit CallWith(const std::string& text) { arguments = text; }
};

TEST(BuildRecord, ThePauseDoublesUpToItsMostAndIsTheFirstAgainOnceHealthy) {
  config::Supervision limits;
  limits.quarantine_crashes = 0;
  BuildRecord record(limits);
  for (const long expected : {100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000}) {
    record.crashed(kBegin, 59s, 0);
    EXPECT_EQ(pause_ms(record, kBegin), expected);
  }
  record.crashed(kBegin, 60s, 0);
  EXPECT_EQ(pause_ms(record, kBegin), 100);
  EXPECT_EQ(record.crashes(), 12u);
  EXPECT_FALSE(record.quarantined());
}

TEST(BuildRecord, ThePauseVariesByAFifth) {
  BuildRecord low{config::Supervision{}};
  BuildRecord high{config::Supervision{}};
  low.crashed(kBegin, 0s, -1);
  high.crashed(kBegin, 0s, 1);
  EXPECT_EQ(pause_ms(low, kBegin), 80);
  EXPECT_EQ(pause_ms(high, kBegin), 120);
}

TEST(BuildRecord, APauseOfNothingStaysNothing) {
  config::Supervision limits;
  limits.restart_pause = 0ms;
  BuildRecord record(limits);
  for (int i = 0; i < 3; ++i) record.crashed(kBegin, 0s, 1);
  EXPECT_EQ(pause_ms(record, kBegin), 0);
}

TEST(BuildRecord, FiveCrashesWithinAMinuteAreAQuarantineAndFiveWithinLongerAreNot) {
  BuildRecord slow{config::Supervision{}};
  for (int i = 0; i < 20; ++i) slow.crashed(kBegin + i * 16s, 0s, 0);
  EXPECT_FALSE(slow.quarantined());
  BuildRecord quick{config::Supervision{}};
  for (int i = 0; i < 4; ++i) quick.crashed(kBegin + i * 15s, 0s, 0);
  EXPECT_FALSE(quick.quarantined());
  quick.crashed(kBegin + 60s, 0s, 0);
  EXPECT_TRUE(quick.quarantined());
}

TEST(BuildRecord, RefusesACallThatCrashedTwiceForTenMinutesAndNoOther) {
  BuildRecord record{config::Supervision{}};
  record.blame(CallWith("{\"a\":1}"), kBegin);
  EXPECT_FALSE(record.refuses(CallWith("{\"a\":1}"), kBegin));
  record.blame(CallWith("{\"a\":1}"), kBegin + 1s);
  EXPECT_EQ(record.refuses(CallWith("{\"a\":1}"), kBegin + 1s), 600s);
  EXPECT_FALSE(record.refuses(CallWith("{\"a\":2}"), kBegin + 1s));
  CallWith another("{\"a\":1}");
  another.continuation.answers["name"] = "{}";
  EXPECT_FALSE(record.refuses(another, kBegin + 1s));
  EXPECT_TRUE(record.refuses(CallWith("{\"a\":1}"), kBegin + 600s));
  EXPECT_FALSE(record.refuses(CallWith("{\"a\":1}"), kBegin + 601s));
  EXPECT_EQ(record.refused_inputs(kBegin + 601s), 0u);
}

TEST(BuildRecord, CountsTheInputsThatItRefusesAndNoOthers) {
  BuildRecord record{config::Supervision{}};
  record.blame(CallWith("1"), kBegin);
  EXPECT_EQ(record.refused_inputs(kBegin), 0u);
  record.blame(CallWith("1"), kBegin + 1s);
  EXPECT_EQ(record.refused_inputs(kBegin + 1s), 1u);
  EXPECT_EQ(record.refused_inputs(kBegin + 600s), 1u);
  EXPECT_EQ(record.refused_inputs(kBegin + 601s), 0u);
}

TEST(BuildRecord, RemembersABoundedNumberOfInputs) {
  BuildRecord record{config::Supervision{}};
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 1000; ++i) record.blame(CallWith(std::to_string(i)), kBegin);
  }
  EXPECT_EQ(record.refused_inputs(kBegin), 0u) << "each was forgotten before it came again";
  for (int i = 0; i < 1000; ++i) {
    for (int twice = 0; twice < 2; ++twice) record.blame(CallWith(std::to_string(i)), kBegin);
  }
  EXPECT_LE(record.refused_inputs(kBegin), 256u);
  EXPECT_FALSE(record.refuses(CallWith("1"), kBegin));
}

TEST(BuildRecord, RefusesNothingWhereThatIsOff) {
  config::Supervision limits;
  limits.poison_crashes = 0;
  BuildRecord record(limits);
  for (int i = 0; i < 5; ++i) record.blame(CallWith("{}"), kBegin);
  EXPECT_FALSE(record.refuses(CallWith("{}"), kBegin));
}

}  // namespace
}  // namespace host::plugin
