// Backoff, quarantine and refused inputs, by numbers alone.
#include "plugin/serving/build_record.h"

#include <gtest/gtest.h>

namespace host::plugin {
namespace {

using namespace std::chrono_literals;

const SteadyTime kStart{std::chrono::hours(1)};

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
    record.crashed(kStart, 59s, 0);
    EXPECT_EQ(pause_ms(record, kStart), expected);
  }
  record.crashed(kStart, 60s, 0);
  EXPECT_EQ(pause_ms(record, kStart), 100);
  EXPECT_EQ(record.crashes(), 12u);
  EXPECT_FALSE(record.quarantined());
}

TEST(BuildRecord, ThePauseVariesByAFifth) {
  BuildRecord low{config::Supervision{}};
  BuildRecord high{config::Supervision{}};
  low.crashed(kStart, 0s, -1);
  high.crashed(kStart, 0s, 1);
  EXPECT_EQ(pause_ms(low, kStart), 80);
  EXPECT_EQ(pause_ms(high, kStart), 120);
}

TEST(BuildRecord, APauseOfNothingStaysNothing) {
  config::Supervision limits;
  limits.restart_pause = 0ms;
  BuildRecord record(limits);
  for (int i = 0; i < 3; ++i) record.crashed(kStart, 0s, 1);
  EXPECT_EQ(pause_ms(record, kStart), 0);
}

TEST(BuildRecord, FiveCrashesWithinAMinuteAreAQuarantineAndFiveWithinLongerAreNot) {
  BuildRecord slow{config::Supervision{}};
  for (int i = 0; i < 20; ++i) slow.crashed(kStart + i * 16s, 0s, 0);
  EXPECT_FALSE(slow.quarantined());
  BuildRecord quick{config::Supervision{}};
  for (int i = 0; i < 4; ++i) quick.crashed(kStart + i * 15s, 0s, 0);
  EXPECT_FALSE(quick.quarantined());
  quick.crashed(kStart + 60s, 0s, 0);
  EXPECT_TRUE(quick.quarantined());
}

TEST(BuildRecord, RefusesACallThatCrashedTwiceForTenMinutesAndNoOther) {
  BuildRecord record{config::Supervision{}};
  record.blame(CallWith("{\"a\":1}"), kStart);
  EXPECT_FALSE(record.refuses(CallWith("{\"a\":1}"), kStart));
  record.blame(CallWith("{\"a\":1}"), kStart + 1s);
  EXPECT_EQ(record.refuses(CallWith("{\"a\":1}"), kStart + 1s), 600s);
  EXPECT_FALSE(record.refuses(CallWith("{\"a\":2}"), kStart + 1s));
  CallWith another("{\"a\":1}");
  another.continuation.answers["name"] = "{}";
  EXPECT_FALSE(record.refuses(another, kStart + 1s));
  EXPECT_TRUE(record.refuses(CallWith("{\"a\":1}"), kStart + 600s));
  EXPECT_FALSE(record.refuses(CallWith("{\"a\":1}"), kStart + 601s));
  EXPECT_EQ(record.refused_inputs(kStart + 601s), 0u);
}

TEST(BuildRecord, CountsTheInputsThatItRefusesAndNoOthers) {
  BuildRecord record{config::Supervision{}};
  record.blame(CallWith("1"), kStart);
  EXPECT_EQ(record.refused_inputs(kStart), 0u);
  record.blame(CallWith("1"), kStart + 1s);
  EXPECT_EQ(record.refused_inputs(kStart + 1s), 1u);
  EXPECT_EQ(record.refused_inputs(kStart + 600s), 1u);
  EXPECT_EQ(record.refused_inputs(kStart + 601s), 0u);
}

TEST(BuildRecord, RemembersABoundedNumberOfInputs) {
  BuildRecord record{config::Supervision{}};
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 1000; ++i) record.blame(CallWith(std::to_string(i)), kStart);
  }
  EXPECT_EQ(record.refused_inputs(kStart), 0u) << "each was forgotten before it came again";
  for (int i = 0; i < 1000; ++i) {
    for (int twice = 0; twice < 2; ++twice) record.blame(CallWith(std::to_string(i)), kStart);
  }
  EXPECT_LE(record.refused_inputs(kStart), 256u);
  EXPECT_FALSE(record.refuses(CallWith("1"), kStart));
}

TEST(BuildRecord, RefusesNothingWhereThatIsOff) {
  config::Supervision limits;
  limits.poison_crashes = 0;
  BuildRecord record(limits);
  for (int i = 0; i < 5; ++i) record.blame(CallWith("{}"), kStart);
  EXPECT_FALSE(record.refuses(CallWith("{}"), kStart));
}

}  // namespace
}  // namespace host::plugin
