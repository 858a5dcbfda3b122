#include "rest/events.h"

#include <gtest/gtest.h>

#include "support/fake_http.h"
#include "support/run_loop.h"

namespace host::rest {
namespace {

using identity::Scope;

TEST(Events, TellEachStreamOnceATurnWhatItMayAskFor) {
  test::RunLoop loop;
  const auto events = std::make_shared<Events>(loop.io.get_executor());
  test::FakeExchange reviewer, operating;
  ASSERT_TRUE(events->open(reviewer, {"rita", Scope::Approve}, nullptr));
  ASSERT_TRUE(events->open(operating, {"boss", identity::kEveryScope}, nullptr));
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
  loop.turn();
  EXPECT_EQ(operating.events->events.back(), R"({"changed":["calls"]})");
  EXPECT_EQ(reviewer.events->events.size(), 1u);
}

TEST(Events, HoldWhatAStreamNeedsUntilItsPeerIsGone) {
  test::RunLoop loop;
  const auto events = std::make_shared<Events>(loop.io.get_executor());
  test::FakeExchange peer;
  auto held = std::make_shared<int>(0);
  const std::weak_ptr<int> seen = held;
  ASSERT_TRUE(events->open(peer, {"boss", identity::kEveryScope}, std::move(held)));
  EXPECT_FALSE(seen.expired());
  peer.disconnect();
  EXPECT_TRUE(seen.expired());
}

TEST(Events, EndTheStreamsOfOnePrincipalAlone) {
  test::RunLoop loop;
  const auto events = std::make_shared<Events>(loop.io.get_executor());
  test::FakeExchange rita, boss;
  ASSERT_TRUE(events->open(rita, {"rita", Scope::Approve}, nullptr));
  ASSERT_TRUE(events->open(boss, {"boss", identity::kEveryScope}, nullptr));
  events->close_of("rita");
  EXPECT_FALSE(rita.events->open());
  EXPECT_TRUE(boss.events->open());
}

}  // namespace
}  // namespace host::rest
