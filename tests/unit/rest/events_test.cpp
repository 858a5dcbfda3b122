#include "rest/route/events.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "support/fake_http.h"
#include "support/run_loop.h"

namespace host::rest {
namespace {

using identity::Scope;

bool always() {
  return true;
}

TEST(Events, TellEachStreamOnceATurnWhatItMayAskFor) {
  test::RunLoop loop;
  const auto events = std::make_shared<Events>(loop.io.get_executor());
  test::FakeExchange reviewer, operating;
  ASSERT_EQ(Events::Opened::Yes, events->open(reviewer, {"rita", Scope::Approve}, nullptr, always));
  ASSERT_EQ(Events::Opened::Yes,
            events->open(operating, {"boss", identity::kEveryScope}, nullptr, always));
  events->changed("tools");
  events->changed("calls", Scope::Admin);
  events->changed("approvals");
  events->changed("tools");
  loop.turn();
  EXPECT_EQ(operating.events->events,
            std::vector<std::string>{R"({"changed":["approvals","calls","tools"]})"});
  EXPECT_EQ(reviewer.events->events,
            std::vector<std::string>{R"({"changed":["approvals","tools"]})"});
  events->changed("calls", Scope::Admin);
  loop.drain();
  EXPECT_EQ(operating.events->events.back(), R"({"changed":["calls"]})");
  EXPECT_EQ(reviewer.events->events.size(), 1u);
}

TEST(Events, OfABusyHostAreTheFirstChangeAtOnceAndTheOthersTogether) {
  test::RunLoop loop;
  const auto events = std::make_shared<Events>(loop.io.get_executor());
  test::FakeExchange reviewer;
  ASSERT_EQ(Events::Opened::Yes, events->open(reviewer, {"rita", Scope::Approve}, nullptr, always));
  const std::vector<std::string>& told = reviewer.events->events;
  events->changed("external");
  loop.turn();
  EXPECT_EQ(told.size(), 1u);
  const SteadyTime begin = steady_now();
  for (int i = 0; i < 100; ++i) {
    events->changed("external");
    loop.turn();
  }
  const auto pauses = static_cast<std::size_t>((steady_now() - begin) / Events::kEvery);
  EXPECT_LE(told.size(), 2 + pauses);  // a slow machine has more pauses
  events->changed("approvals");
  loop.drain();
  EXPECT_NE(told.back().find("approvals"), std::string::npos);
  const std::size_t so_far = told.size();
  events->changed("external");  // after a pause without a change, at once again
  loop.turn();
  EXPECT_EQ(told.size(), so_far + 1);
}

TEST(Events, HoldWhatAStreamNeedsUntilItsPeerIsGone) {
  test::RunLoop loop;
  const auto events = std::make_shared<Events>(loop.io.get_executor());
  test::FakeExchange peer;
  auto held = std::make_shared<int>(0);
  const std::weak_ptr<int> seen = held;
  ASSERT_EQ(Events::Opened::Yes,
            events->open(peer, {"boss", identity::kEveryScope}, std::move(held), always));
  EXPECT_FALSE(seen.expired());
  peer.disconnect();
  EXPECT_TRUE(seen.expired());
}

// What opened it is asked again before anything is said.
TEST(Events, EndTheStreamsOfWhoMayFollowNoMore) {
  test::RunLoop loop;
  const auto events = std::make_shared<Events>(loop.io.get_executor());
  test::FakeExchange rita, boss;
  bool admitted = true;
  ASSERT_EQ(Events::Opened::Yes,
            events->open(rita, {"rita", Scope::Approve}, nullptr, [&] { return admitted; }));
  ASSERT_EQ(Events::Opened::Yes,
            events->open(boss, {"boss", identity::kEveryScope}, nullptr, always));
  admitted = false;
  events->changed("approvals");
  loop.turn();
  EXPECT_FALSE(rita.events->open());
  EXPECT_TRUE(rita.events->events.empty());
  EXPECT_EQ(boss.events->events.size(), 1u);
  events->close_ended();
  EXPECT_TRUE(boss.events->open());
}

TEST(Events, AreBoundedByPrincipal) {
  test::RunLoop loop;
  const auto events = std::make_shared<Events>(loop.io.get_executor());
  std::vector<std::string> refusals;
  events->limit(1, [&](std::string_view limit) { refusals.emplace_back(limit); });
  test::FakeExchange first, second, other;
  EXPECT_EQ(events->open(first, {"rita", Scope::Approve}, nullptr, always), Events::Opened::Yes);
  EXPECT_EQ(events->open(second, {"rita", Scope::Approve}, nullptr, always),
            Events::Opened::TooManyOfPrincipal);
  EXPECT_EQ(events->open(other, {"boss", Scope::Approve}, nullptr, always), Events::Opened::Yes);
  EXPECT_EQ(refusals, std::vector<std::string>{"limits.event_streams_per_principal"});
}

TEST(Events, OfAStreamThatIsClosedTakeNoPlace) {
  test::RunLoop loop;
  const auto events = std::make_shared<Events>(loop.io.get_executor());
  events->limit(1, nullptr);
  test::FakeExchange first, second;
  EXPECT_EQ(events->open(first, {"rita", Scope::Approve}, nullptr, always), Events::Opened::Yes);
  first.events->close();
  EXPECT_EQ(events->open(second, {"rita", Scope::Approve}, nullptr, always), Events::Opened::Yes);
}

}  // namespace
}  // namespace host::rest
