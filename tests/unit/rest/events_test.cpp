#include "rest/events.h"

#include <gtest/gtest.h>

#include "support/fake_http.h"
#include "support/run_loop.h"

namespace host::rest {
namespace {

using identity::Scope;
using identity::Scopes;

TEST(Events, TellEachStreamOnceATurnWhatItMayAskFor) {
  test::RunLoop loop;
  const auto events = std::make_shared<Events>(loop.io.get_executor());
  test::FakeExchange reviewer, operating;
  ASSERT_TRUE(events->open(reviewer, Scopes(Scope::Approve), nullptr));
  ASSERT_TRUE(events->open(operating, identity::kEveryScope, nullptr));
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
  ASSERT_TRUE(events->open(peer, identity::kEveryScope, std::move(held)));
  EXPECT_FALSE(seen.expired());
  peer.disconnect();
  EXPECT_TRUE(seen.expired());
}

}  // namespace
}  // namespace host::rest
