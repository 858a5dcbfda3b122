#include "router/live/live_calls.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "support/passports.h"

namespace host::router {
namespace {

tool::Call named(std::string id) {
  tool::Call call;
  call.passport = test::passport(std::move(id));
  return call;
}

TEST(LiveCalls, AreThoseBetweenArrivalAndEnd) {
  LiveCalls calls;
  tool::Call a = named("a"), b = named("b"), c = named("c");
  std::optional<LiveCalls::Entry> first(std::in_place, calls, a);
  const auto second = calls.enter(b);
  {
    const auto third = calls.enter(c);
    EXPECT_EQ(calls.size(), 3u);
    EXPECT_EQ(calls.list(2), (std::vector<const tool::Call*>{&a, &b}));
  }
  first.reset();
  EXPECT_EQ(calls.list(9), std::vector<const tool::Call*>{&b});
  EXPECT_EQ(calls.find("b"), &b);
  EXPECT_EQ(calls.find("a"), nullptr);
  b.cancel->request();
  EXPECT_EQ(calls.find("b"), nullptr);  // it ends already
  EXPECT_EQ(calls.size(), 1u);
}

TEST(LiveCalls, TellOnceOfTheNextChange) {
  LiveCalls calls;
  int told = 0;
  const auto follow = [&] { calls.tell_next([&told] { ++told; }); };
  tool::Call a = named("a");
  {
    const auto unheard = calls.enter(a);
    follow();
    calls.enter_phase(a, tool::Phase::Queued);
    calls.enter_phase(a, tool::Phase::Running);
    EXPECT_EQ(told, 1);
    EXPECT_EQ(a.phase, tool::Phase::Running);
    follow();
  }
  EXPECT_EQ(told, 2);  // of its end
  follow();
  const auto again = calls.enter(a);
  EXPECT_EQ(told, 3);
}

TEST(LiveCalls, OnceClosedTakeNoneButThoseThatARunningCallMakes) {
  LiveCalls calls;
  const tool::Call fresh = named("a");
  tool::Call nested = named("b");
  nested.passport = test::passport_within({nested.passport, nullptr});
  EXPECT_FALSE(calls.refuses(fresh));
  calls.close();
  EXPECT_TRUE(calls.refuses(fresh));
  EXPECT_FALSE(calls.refuses(nested));
}

TEST(LiveCalls, TellOnceThatThereAreNone) {
  LiveCalls calls;
  tool::Call a = named("a"), b = named("b");
  int told = 0;
  calls.when_none([&told] { ++told; });
  EXPECT_EQ(told, 1);  // at once
  {
    const auto first = calls.enter(a);
    calls.when_none([&told] { ++told; });
    const auto second = calls.enter(b);
    calls.end_all(Cancel::By::Stop);
    EXPECT_EQ(a.cancel->by(), Cancel::By::Stop);
    EXPECT_EQ(b.cancel->by(), Cancel::By::Stop);
    EXPECT_EQ(told, 1);
  }
  EXPECT_EQ(told, 2);
  { const auto later = calls.enter(a); }
  EXPECT_EQ(told, 2);
}

TEST(LiveCalls, AnEntryMayOutliveTheList) {
  tool::Call a = named("a");
  auto calls = std::make_unique<LiveCalls>();
  int told = 0;
  const auto entry = calls->enter(a);
  calls->tell_next([&told] { ++told; });
  calls.reset();
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace host::router
