#include "executor/scheduler.h"

#include <gtest/gtest.h>

#include "support/fake_provider.h"
#include "support/passports.h"
#include "support/run_loop.h"

namespace host::executor {
namespace {

using namespace std::chrono_literals;
using test::declaration;
using test::make_tool;

struct Scheduling : testing::Test {
  test::RunLoop loop;
  Scheduler::Settings settings;
  std::vector<std::shared_ptr<tool::Call>> calls;

  tool::Call& call(std::string peer = "p", std::string principal = "local") {
    auto made = std::make_shared<tool::Call>();
    made->passport = test::passport_with([&](tool::Passport& passport) {
      passport.connection = std::move(peer);
      passport.who.principal = std::move(principal);
    });
    calls.push_back(made);
    return *made;
  }
};

tool::Declaration serial(std::string name) {
  tool::Declaration declared = declaration(std::move(name));
  declared.concurrency_safe = false;
  return declared;
}

// Case 33.
TEST_F(Scheduling, RunsTwoCallsOfASafeToolSideBySide) {
  Scheduler scheduler(loop.io.get_executor(), settings);
  const auto tool = make_tool(declaration("safe"));
  const auto first = loop.start(scheduler.enter(call(), tool));
  const auto second = loop.start(scheduler.enter(call(), tool));
  loop.turn();
  EXPECT_TRUE(first->has_value());
  EXPECT_TRUE(second->has_value());
}

// Case 33.
TEST_F(Scheduling, NeverRunsTwoCallsOfASerialToolAtOnce) {
  Scheduler scheduler(loop.io.get_executor(), settings);
  const auto tool = make_tool(serial("serial"));
  auto first = loop.start(scheduler.enter(call(), tool));
  const auto second = loop.start(scheduler.enter(call(), tool));
  loop.turn();
  ASSERT_TRUE(first->has_value());
  EXPECT_FALSE(second->has_value());
  first->reset();  // gives the slot back
  loop.turn();
  ASSERT_TRUE(second->has_value());
  EXPECT_TRUE((*second)->has_value());
}

TEST_F(Scheduling, HoldsTheCallersOfAnAgentTogetherToItsLimits) {
  settings.agents["coder"] = {1, 1};
  Scheduler scheduler(loop.io.get_executor(), settings);
  const auto tool = make_tool(declaration("safe"));
  const auto as_agent = [&](const char* agent, const char* principal) {
    tool::Call& made = call();
    made.passport = test::passport("", principal, agent);
    auto slot = loop.start(scheduler.enter(made, tool));
    loop.turn();
    return slot;
  };
  auto first = as_agent("coder", "ada");
  const auto second = as_agent("coder", "bob");
  const auto third = as_agent("coder", "cyd");
  EXPECT_TRUE(as_agent("other", "ada")->has_value());
  EXPECT_TRUE(as_agent("", "ada")->has_value());
  ASSERT_TRUE(first->has_value());
  EXPECT_FALSE(second->has_value());
  ASSERT_TRUE(third->has_value());
  EXPECT_EQ((*third)->error().message,
            "agent \"coder\" has 1 calls waiting already: retry after 1 s");
  first->reset();
  loop.turn();
  ASSERT_TRUE(second->has_value());
  EXPECT_TRUE((*second)->has_value());
}

TEST_F(Scheduling, KeepsToolsOfOneExclusiveNameApart) {
  Scheduler scheduler(loop.io.get_executor(), settings);
  tool::Declaration a = declaration("a");
  tool::Declaration b = declaration("b");
  a.exclusive = b.exclusive = "printer";
  auto first = loop.start(scheduler.enter(call(), make_tool(a)));
  const auto second = loop.start(scheduler.enter(call(), make_tool(b)));
  const auto other = loop.start(scheduler.enter(call(), make_tool(declaration("c"))));
  loop.turn();
  EXPECT_FALSE(second->has_value());
  EXPECT_TRUE(other->has_value());
  first->reset();
  loop.turn();
  EXPECT_TRUE(second->has_value());
}

TEST_F(Scheduling, HoldsAToolToItsMaxInflight) {
  Scheduler scheduler(loop.io.get_executor(), settings);
  tool::Declaration declared = declaration("two");
  declared.max_inflight = 2;
  const auto tool = make_tool(declared);
  auto first = loop.start(scheduler.enter(call(), tool));
  const auto second = loop.start(scheduler.enter(call(), tool));
  const auto third = loop.start(scheduler.enter(call(), tool));
  loop.turn();
  EXPECT_TRUE(second->has_value());
  EXPECT_FALSE(third->has_value());
  first->reset();
  loop.turn();
  EXPECT_TRUE(third->has_value());
}

TEST_F(Scheduling, LetsPeersTakeTurns) {
  Scheduler scheduler(loop.io.get_executor(), settings);
  const auto tool = make_tool(serial("serial"));
  auto running = loop.start(scheduler.enter(call("greedy"), tool));
  std::vector<std::shared_ptr<std::optional<Result<Slot>>>> greedy;
  for (int i = 0; i < 10; ++i) greedy.push_back(loop.start(scheduler.enter(call("greedy"), tool)));
  loop.turn();
  const auto modest = loop.start(scheduler.enter(call("modest"), tool));
  loop.turn();
  running->reset();
  loop.turn();
  ASSERT_TRUE(greedy[0]->has_value());  // it came first
  greedy[0]->reset();
  loop.turn();
  EXPECT_TRUE(modest->has_value());  // before nine that came earlier
  EXPECT_FALSE(greedy[1]->has_value());
}

// A principal with many peers has no more turns than one with a single peer.
TEST_F(Scheduling, LetsPrincipalsTakeTurnsAndTheirPeersWithinThem) {
  Scheduler scheduler(loop.io.get_executor(), settings);
  const auto tool = make_tool(serial("serial"));
  std::vector<std::string> order;
  std::vector<std::shared_ptr<std::optional<Result<Slot>>>> slots;
  std::vector<std::string> names;
  const auto enter = [&](const std::string& peer, const std::string& principal) {
    slots.push_back(loop.start(scheduler.enter(call(peer, principal), tool)));
    names.push_back(principal + "/" + peer);
  };
  auto running = loop.start(scheduler.enter(call("x", "local"), tool));
  for (const char* peer : {"a", "b", "c", "d"}) {
    enter(peer, "local");
    enter(peer, "local");
  }
  enter("k", "ada");
  enter("k", "ada");
  loop.turn();
  running->reset();
  for (std::size_t served = 0; served < slots.size(); ++served) {
    loop.turn();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (!slots[i] || !slots[i]->has_value()) continue;
      order.push_back(names[i]);
      slots[i]->reset();
      slots[i] = nullptr;
      break;
    }
  }
  EXPECT_EQ(order,
            (std::vector<std::string>{"local/a", "ada/k", "local/b", "ada/k", "local/c", "local/d",
                                      "local/a", "local/b", "local/c", "local/d"}));
}

// Sessions cost nothing: a place with many of them has no more turns than one with a single one.
TEST_F(Scheduling, LetsPlacesTakeTurnsAndTheirSessionsWithinThem) {
  Scheduler scheduler(loop.io.get_executor(), settings);
  const auto tool = make_tool(serial("serial"));
  std::vector<std::shared_ptr<std::optional<Result<Slot>>>> slots;
  const std::vector<std::string> peers = {"1\na", "1\nb", "1\nb", "1\nc", "2\nx", "2\nx"};
  auto running = loop.start(scheduler.enter(call("0"), tool));
  for (const std::string& peer : peers) {
    slots.push_back(loop.start(scheduler.enter(call(peer), tool)));
  }
  loop.turn();
  running->reset();
  std::vector<std::string> order;
  while (order.size() < slots.size()) {
    loop.turn();
    const auto at = std::find_if(slots.begin(), slots.end(),
                                 [](const auto& slot) { return slot && slot->has_value(); });
    ASSERT_NE(at, slots.end());
    order.push_back(peers[static_cast<std::size_t>(at - slots.begin())]);
    (*at)->reset();
    *at = nullptr;
  }
  EXPECT_EQ(order, (std::vector<std::string>{"1\na", "2\nx", "1\nb", "2\nx", "1\nc", "1\nb"}));
}

TEST_F(Scheduling, KeepsNobodyWaitingWhoseOwnPrincipalHasRoom) {
  settings.running_per_principal = 1;
  Scheduler scheduler(loop.io.get_executor(), settings);
  const auto tool = make_tool(serial("serial"));
  const auto running = loop.start(scheduler.enter(call("p", "ann"), make_tool(declaration("x"))));
  const auto waiting = loop.start(scheduler.enter(call("p", "ann"), tool));
  const auto other = loop.start(scheduler.enter(call("q", "bob"), tool));
  loop.turn();
  EXPECT_TRUE(running->has_value());
  EXPECT_FALSE(waiting->has_value());
  EXPECT_TRUE(other->has_value());  // the tool is free, only ann may not use it now
}

TEST_F(Scheduling, LeavesAUnitOfEachLimitToOthersWherePrincipalsShareTheHost) {
  Scheduler scheduler(loop.io.get_executor(), settings);
  scheduler.share_when([] { return true; });
  tool::Declaration declared = declaration("three");
  declared.max_inflight = 3;
  const auto tool = make_tool(declared);
  auto first = loop.start(scheduler.enter(call("p", "ann"), tool));
  const auto second = loop.start(scheduler.enter(call("q", "ann"), tool));
  const auto third = loop.start(scheduler.enter(call("r", "ann"), tool));
  const auto other = loop.start(scheduler.enter(call("s", "bob"), tool));
  loop.turn();
  EXPECT_TRUE(second->has_value());
  EXPECT_FALSE(third->has_value());
  EXPECT_TRUE(other->has_value());
  first->reset();
  loop.turn();
  EXPECT_TRUE(third->has_value());
}

TEST_F(Scheduling, GivesAllOfALimitToWhoIsAlone) {
  Scheduler scheduler(loop.io.get_executor(), settings);
  scheduler.share_when([] { return false; });
  tool::Declaration declared = declaration("two");
  declared.max_inflight = 2;
  const auto tool = make_tool(declared);
  const auto first = loop.start(scheduler.enter(call("p", "ann"), tool));
  const auto second = loop.start(scheduler.enter(call("q", "ann"), tool));
  loop.turn();
  EXPECT_TRUE(second->has_value());
}

TEST_F(Scheduling, FillsAToolsQueueForOnePrincipalAlone) {
  settings.queue = 1;
  std::vector<std::string> refusals;
  settings.on_refusal = [&](std::string_view limit) { refusals.emplace_back(limit); };
  Scheduler scheduler(loop.io.get_executor(), settings);
  const auto tool = make_tool(serial("serial"));
  const auto running = loop.start(scheduler.enter(call("p", "ann"), tool));
  const auto waiting = loop.start(scheduler.enter(call("p", "ann"), tool));
  loop.turn();
  EXPECT_TRUE(scheduler.full(call("q", "ann"), tool).has_value());
  EXPECT_FALSE(scheduler.full(call("p", "bob"), tool).has_value());
  EXPECT_EQ(refusals, std::vector<std::string>{"call.queue"});
}

TEST_F(Scheduling, DoesNotStarveACallThatNeedsTwoThings) {
  Scheduler scheduler(loop.io.get_executor(), settings);
  tool::Declaration both = serial("both");
  both.exclusive = "x";
  tool::Declaration other = declaration("other");
  other.exclusive = "x";
  const auto both_tool = make_tool(both);
  const auto other_tool = make_tool(other);
  auto holds_tool = loop.start(scheduler.enter(call("a"), both_tool));
  loop.turn();
  auto wants_both = loop.start(scheduler.enter(call("b"), both_tool));
  auto wants_one = loop.start(scheduler.enter(call("c"), other_tool));
  loop.turn();
  EXPECT_FALSE(wants_both->has_value());
  holds_tool->reset();
  loop.turn();
  EXPECT_TRUE(wants_both->has_value());
  EXPECT_FALSE(wants_one->has_value());  // came later
}

TEST_F(Scheduling, SaysBusyWhenAToolsQueueIsFull) {
  settings.queue = 2;
  Scheduler scheduler(loop.io.get_executor(), settings);
  const auto tool = make_tool(serial("serial"));
  auto running = loop.start(scheduler.enter(call(), tool));
  auto second = loop.start(scheduler.enter(call(), tool));
  auto third = loop.start(scheduler.enter(call(), tool));
  loop.turn();
  const auto refusal = scheduler.full(call(), tool);
  ASSERT_TRUE(refusal.has_value());
  EXPECT_NE(refusal->find("Retry after"), std::string::npos);
  running->reset();
  loop.turn();
  second->reset();
  loop.turn();
  EXPECT_FALSE(scheduler.full(call(), tool).has_value());
}

TEST_F(Scheduling, RefusesAPrincipalThatQueuesTooMuchAndServesOthers) {
  settings.running_per_principal = 1;
  settings.queued_per_principal = 1;
  Scheduler scheduler(loop.io.get_executor(), settings);
  const auto tool = make_tool(declaration("safe"));
  auto running = loop.start(scheduler.enter(call("p", "ann"), tool));
  auto queued = loop.start(scheduler.enter(call("p", "ann"), tool));
  const auto refused = loop.start(scheduler.enter(call("p", "ann"), tool));
  const auto other = loop.start(scheduler.enter(call("q", "bob"), tool));
  loop.turn();
  ASSERT_TRUE(refused->has_value());
  EXPECT_EQ((*refused)->error().kind, ErrorKind::Unavailable);
  EXPECT_TRUE((*other)->has_value());
  running->reset();
  loop.turn();
  EXPECT_TRUE((*queued)->has_value());
}

TEST_F(Scheduling, EndsAWaitAtItsDeadline) {
  settings.timeout = 5ms;
  Scheduler scheduler(loop.io.get_executor(), settings);
  const auto tool = make_tool(serial("serial"));
  const auto running = loop.start(scheduler.enter(call(), tool));
  const auto waiting = loop.start(scheduler.enter(call(), tool));
  loop.drain();
  ASSERT_TRUE(waiting->has_value());
  EXPECT_EQ((*waiting)->error().kind, ErrorKind::DeadlineExceeded);
  EXPECT_EQ(scheduler.waiting(), 0u);
}

TEST_F(Scheduling, ACallThatOutlivesItsRequestWaitsAsLongAsItTakes) {
  settings.timeout = 20ms;
  Scheduler scheduler(loop.io.get_executor(), settings);
  const auto tool = make_tool(serial("serial"));
  auto first = loop.start(scheduler.enter(call(), tool));
  tool::Call& patient = call();
  patient.outlives = true;
  const auto second = loop.start(scheduler.enter(patient, tool));
  const auto third = loop.start(scheduler.enter(call(), tool));
  while (!*third) loop.io.run_one();
  EXPECT_EQ((*third)->error().kind, ErrorKind::DeadlineExceeded);
  EXPECT_FALSE(*second);
  const SteadyTime granted = std::chrono::steady_clock::now();
  first->reset();
  loop.turn();
  ASSERT_TRUE(*second);
  EXPECT_TRUE(**second);
  EXPECT_GE(patient.deadline, granted + settings.timeout) << "its time begins with its slot";
}

TEST_F(Scheduling, LetsGoOfACancelledCallAndServesTheNext) {
  Scheduler scheduler(loop.io.get_executor(), settings);
  const auto tool = make_tool(serial("serial"));
  auto running = loop.start(scheduler.enter(call(), tool));
  tool::Call& impatient = call();
  const auto cancelled = loop.start(scheduler.enter(impatient, tool));
  const auto next = loop.start(scheduler.enter(call(), tool));
  loop.turn();
  impatient.cancel->request();
  loop.turn();
  ASSERT_TRUE(cancelled->has_value());
  EXPECT_EQ((*cancelled)->error().kind, ErrorKind::Cancelled);
  running->reset();
  loop.turn();
  EXPECT_TRUE(next->has_value());
}

// ---- Calls that a call makes

// The passport of a call that `tool` makes while it serves the call `outer`.
tool::PassportPtr within(std::shared_ptr<const tool::Tool> tool,
                         tool::PassportPtr outer = tool::unnamed_passport()) {
  return test::passport_within({std::move(outer), std::move(tool)});
}

TEST_F(Scheduling, ACallOfACallSharesItsPrincipalsUnit) {
  settings.running_per_principal = 1;
  Scheduler scheduler(loop.io.get_executor(), settings);
  const auto outer = make_tool(declaration("outer"));
  const auto first = loop.start(scheduler.enter(call(), outer));
  tool::Call& nested = call();
  nested.passport = within(outer, nested.passport);
  const auto second = loop.start(scheduler.enter(nested, make_tool(declaration("inner"))));
  const auto stranger = loop.start(scheduler.enter(call(), outer));
  loop.turn();
  EXPECT_TRUE(first->has_value());
  EXPECT_TRUE(second->has_value());
  EXPECT_FALSE(stranger->has_value());
}

TEST_F(Scheduling, ACallOfACallDoesNotWaitForALimitThatStandsAboveIt) {
  Scheduler scheduler(loop.io.get_executor(), settings);
  tool::Declaration two = declaration("two");
  two.max_inflight = 2;
  const auto tool = make_tool(std::move(two));
  const auto first = loop.start(scheduler.enter(call(), tool));
  const auto second = loop.start(scheduler.enter(call(), tool));
  tool::Call& nested = call();
  nested.passport = within(make_tool(declaration("between")), within(tool, nested.passport));
  const auto third = loop.start(scheduler.enter(nested, tool));
  loop.turn();
  EXPECT_TRUE(third->has_value());
}

TEST_F(Scheduling, CallsOfCallsLeaveAUnitToOthersToo) {
  Scheduler scheduler(loop.io.get_executor(), settings);
  scheduler.share_when([] { return true; });
  tool::Declaration two = declaration("two");
  two.max_inflight = 2;
  const auto tool = make_tool(std::move(two));
  const auto nested = [&](const char* peer) -> tool::Call& {
    tool::Call& made = call(peer, "ann");
    made.passport = within(make_tool(declaration("outer")), made.passport);
    return made;
  };
  auto first = loop.start(scheduler.enter(nested("p"), tool));
  const auto second = loop.start(scheduler.enter(nested("q"), tool));
  const auto other = loop.start(scheduler.enter(call("s", "bob"), tool));
  loop.turn();
  EXPECT_TRUE(first->has_value());
  EXPECT_FALSE(second->has_value());
  EXPECT_TRUE(other->has_value());
  tool::Call& inner = call("p", "ann");  // its outer call has the unit that it needs
  inner.passport = within(tool, inner.passport);
  const auto third = loop.start(scheduler.enter(inner, tool));
  loop.turn();
  EXPECT_TRUE(third->has_value());
  first->reset();
  loop.turn();
  EXPECT_TRUE(second->has_value());
}

TEST_F(Scheduling, ACallOfACallIsInItsOwnWayWhereSomebodyAboveRunsAlone) {
  const auto alone = make_tool(serial("alone"));
  const auto other = make_tool(declaration("other"));
  tool::Call& nested = call();
  EXPECT_EQ(Scheduler::would_deadlock(nested, alone), std::nullopt);
  nested.passport = within(other, within(alone));
  EXPECT_NE(Scheduler::would_deadlock(nested, alone), std::nullopt);
  EXPECT_EQ(Scheduler::would_deadlock(nested, other), std::nullopt);
}

// It runs while the calls above its action wait.
TEST_F(Scheduling, ThePostToolOfACallOfACallStandsBelowTheSameCalls) {
  settings.running_per_principal = 1;
  Scheduler scheduler(loop.io.get_executor(), settings);
  const auto alone = make_tool(serial("alone"));
  const auto first = loop.start(scheduler.enter(call(), alone));
  tool::Call& post = call();
  post.passport = tool::passport_of_post(*within(alone, post.passport), "post_inner");
  EXPECT_NE(Scheduler::would_deadlock(post, alone), std::nullopt);
  const auto second = loop.start(scheduler.enter(post, make_tool(declaration("post_inner"))));
  loop.turn();
  EXPECT_TRUE(first->has_value());
  EXPECT_TRUE(second->has_value()) << "the outermost call has the principal's unit";
}

// A place that only its caller may have, though there are several.
TEST_F(Scheduling, ACallOfACallMayNotNeedAPlaceOfTheSameKind) {
  const auto made = [](bool by_place) {
    return *tool::Tool::make(declaration("placed"), 0, {{"serial:p", 2, by_place}});
  };
  const auto other = make_tool(declaration("other"));
  tool::Call& nested = call();
  nested.passport = within(other, within(made(true)));
  EXPECT_NE(Scheduler::would_deadlock(nested, made(true)), std::nullopt);
  nested.passport = within(other, within(made(false)));
  EXPECT_EQ(Scheduler::would_deadlock(nested, made(false)), std::nullopt);
}

TEST_F(Scheduling, ACallOfACallHasNoMoreTimeThanThatOne) {
  Scheduler scheduler(loop.io.get_executor(), settings);
  const SteadyTime deadline = std::chrono::steady_clock::now() + 1s;
  tool::Call& nested = call();
  nested.passport =
      test::passport_within({nested.passport, make_tool(declaration("outer")), deadline});
  const auto entered = loop.start(scheduler.enter(nested, make_tool(declaration("inner"))));
  loop.turn();
  EXPECT_TRUE(entered->has_value());
  EXPECT_EQ(nested.deadline, deadline);
}

}  // namespace
}  // namespace host::executor
