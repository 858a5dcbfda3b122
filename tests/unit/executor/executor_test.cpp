#include "executor/executor.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/fake_provider.h"
#include "support/passports.h"
#include "support/run_loop.h"

namespace host::executor {
namespace {

using namespace std::chrono_literals;
using test::declaration;

struct Executing : testing::Test {
  test::RunLoop loop;
  Executor executor{loop.io.get_executor()};
  std::shared_ptr<test::FakeProvider> provider = std::make_shared<test::FakeProvider>();
  tool::Call call;

  Executing() {
    call.arguments.root().SetObject();
    call.deadline = std::chrono::steady_clock::now() + 10s;
  }
  auto run() { return executor.run(provider, provider->tools().front(), call, Slot{}); }
};

TEST_F(Executing, AnswersAtOnceWhereTheProviderDoes) {
  provider->add_answering(declaration("quick"), "done");
  const auto result = loop.get(run());
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->content, R"({"type":"text","text":"done"})");
  EXPECT_EQ(executor.running(), 0u);
}

TEST_F(Executing, ACheckFunctionKnowsTheAgentAndTheTraceOfItsCall) {
  std::string seen;
  provider->add(declaration("checked"), [&](const auto& invocation) {
    const tool::Passport& passport = *invocation->passport;
    seen = passport.call + "|" + passport.who.agent + "|" + passport.trace.parent;
    invocation->finish(tool::CallResult::text("fine"));
  });
  call.passport = test::passport_with([](tool::Passport& passport) {
    passport.call = "c1";
    passport.who.agent = "coder";
    passport.trace.parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  });
  const auto result = loop.get(executor.ask(provider, provider->tools().front(),
                                            tool::Function::CheckPermissions, call, "{}"));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(seen, "c1|coder|00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
}

TEST_F(Executing, TellsTheAnswersToTheHostsOwnQuestionsToTheHostsOwnToolsAlone) {
  using Kind = tool::ProviderIdentity::Kind;
  const auto keys_for = [&](Kind kind) {
    std::string keys;
    provider = std::make_shared<test::FakeProvider>("fake", kind);
    provider->add(declaration("asks"), [&](const auto& invocation) {
      for (const auto& [key, answer] : invocation->continuation.answers) keys += key + " ";
      invocation->finish(tool::CallResult::text(invocation->continuation.state));
    });
    const auto result = loop.get(run());
    EXPECT_NE(result->content.find("so far"), std::string::npos);
    return keys;
  };
  call.continuation = {"so far", {{"name", "{}"}, {"toolpost.code.1", "{}"}}};
  EXPECT_EQ(keys_for(Kind::Plugin), "name ");
  EXPECT_EQ(keys_for(Kind::Upstream), "name ");
  EXPECT_EQ(keys_for(Kind::Host), "name toolpost.code.1 ");
  EXPECT_EQ(call.continuation.answers.size(), 2u);  // the gates ask for them again
}

// What an upstream offered can be of a plugin now.
TEST_F(Executing, OnlyAnUpstreamGetsTheStateOfAnUpstreamsQuestion) {
  using Kind = tool::ProviderIdentity::Kind;
  for (const char* const state :
       {"io.toolpost/parked:1", "io.toolpost/asked:1:", "io.toolpost/urls:1:"}) {
    for (const Kind kind : {Kind::Plugin, Kind::Session, Kind::Host, Kind::Upstream}) {
      provider = std::make_shared<test::FakeProvider>("fake", kind);
      provider->add_answering(declaration("asks"), "done");
      call.continuation = {state, {{"name", "{}"}}};
      const auto result = loop.get(run());
      EXPECT_EQ(result.has_value(), kind == Kind::Upstream);
      EXPECT_EQ(provider->started, kind == Kind::Upstream ? 1 : 0);
      EXPECT_EQ(call.ran, kind == Kind::Upstream);
      if (!result) {
        EXPECT_NE(result.error().message.find("without a requestState"), std::string::npos);
      }
    }
  }
}

TEST_F(Executing, TellsWhetherTheCallMayHaveActed) {
  bool may_have_acted = true;
  provider->add(declaration("fragile"), [&](const auto& invocation) {
    invocation->may_have_acted = may_have_acted;
    invocation->finish(tool::CallResult::error("the upstream died"));
  });
  ASSERT_TRUE(loop.get(run()).has_value());
  EXPECT_TRUE(call.may_have_acted);
  may_have_acted = false;
  ASSERT_TRUE(loop.get(run()).has_value());
  EXPECT_FALSE(call.may_have_acted) << "of this run of the call, not of an earlier one";
}

TEST_F(Executing, ACallThatWasCancelledBeforeItBeganHasNotActed) {
  provider->add_answering(declaration("quick"), "done");
  call.ran = true;  // in an earlier run of the call
  call.may_have_acted = true;
  call.cancel->request();
  ASSERT_FALSE(loop.get(run()).has_value());
  EXPECT_FALSE(call.ran);
  EXPECT_FALSE(call.may_have_acted);
}

TEST_F(Executing, TakesAnAnswerFromAnotherThread) {
  std::thread other;
  provider->add(declaration("threaded"), [&](const auto& invocation) {
    other = std::thread([invocation] { invocation->finish(tool::CallResult::text("from there")); });
  });
  const auto result = loop.get(run());
  other.join();
  ASSERT_TRUE(result.has_value());
  EXPECT_NE(result->content.find("from there"), std::string::npos);
}

TEST_F(Executing, EndsACallAtItsDeadlineAndAsksTheProviderToStop) {
  std::shared_ptr<tool::Invocation> held;
  provider->add(declaration("sleepy"), [&](const auto& invocation) { held = invocation; });
  call.deadline = std::chrono::steady_clock::now() + 5ms;
  const auto result = loop.get(run());
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::DeadlineExceeded);
  EXPECT_TRUE(held->cancel->requested());
  EXPECT_EQ(provider->cancelled, 1);
  EXPECT_EQ(executor.running(), 1u);  // it has not finished yet
  EXPECT_TRUE(held->finish(tool::CallResult::text("late")));
  EXPECT_EQ(executor.running(), 0u);
}

TEST_F(Executing, EndsACancelledCall) {
  std::shared_ptr<tool::Invocation> held;
  provider->add(declaration("sleepy"), [&](const auto& invocation) { held = invocation; });
  const auto result = loop.start(run());
  loop.turn();
  call.cancel->request();
  loop.turn();
  ASSERT_TRUE(result->has_value());
  EXPECT_EQ((*result)->error().kind, ErrorKind::Cancelled);
  held->finish(tool::CallResult::text("late"));
}

TEST_F(Executing, KeepsWhatTheToolNeedsUntilTheToolOfACancelledCallHasEnded) {
  std::shared_ptr<tool::Invocation> held;
  provider->add(declaration("sleepy"), [&](const auto& invocation) { held = invocation; });
  const auto needed = std::make_shared<int>();
  call.while_running = needed;
  const auto result = loop.start(run());
  loop.turn();
  call.cancel->request();
  loop.turn();
  ASSERT_TRUE(result->has_value());
  call.while_running = nullptr;
  EXPECT_EQ(needed.use_count(), 2);
  held->finish(tool::CallResult::text("late"));
  EXPECT_EQ(needed.use_count(), 1);
}

// The claim of an idempotency key is such a thing: only the I/O thread may end it.
TEST_F(Executing, DropsWhatTheToolNeedsOnTheIoThreadIfAnotherThreadDropsTheCall) {
  std::shared_ptr<tool::Invocation> held;
  provider->add(declaration("sleepy"), [&](const auto& invocation) { held = invocation; });
  std::thread::id dropped_by;
  call.while_running =
      std::shared_ptr<void>(&dropped_by, [&](void*) { dropped_by = std::this_thread::get_id(); });
  const auto result = loop.start(run());
  loop.turn();
  call.cancel->request();
  loop.turn();
  ASSERT_TRUE(result->has_value());
  call.while_running = nullptr;
  std::thread([last = std::move(held)]() mutable { last = nullptr; }).join();
  EXPECT_EQ(dropped_by, std::thread::id());
  loop.turn();
  EXPECT_EQ(dropped_by, std::this_thread::get_id());
}

TEST_F(Executing, IgnoresASecondAnswer) {
  bool second = true;
  provider->add(declaration("twice"), [&](const auto& invocation) {
    invocation->finish(tool::CallResult::text("one"));
    second = invocation->finish(tool::CallResult::text("two"));
  });
  const auto result = loop.get(run());
  EXPECT_FALSE(second);
  EXPECT_NE(result->content.find("one"), std::string::npos);
}

struct Watching : tool::Observer {
  std::vector<double> seen;
  void progress(double done, double, std::string_view) override { seen.push_back(done); }
  void log(int, std::string_view, std::string_view, std::string_view) override {}
};

TEST_F(Executing, TellsProgressWhileTheCallRunsAndNeverAfter) {
  Watching watching;
  call.observer = &watching;
  std::shared_ptr<tool::Invocation> held;
  provider->add(declaration("steps"), [&](const auto& invocation) {
    held = invocation;
    invocation->on_progress(1, 2, "");
  });
  const auto result = loop.start(run());
  loop.turn();
  held->finish(tool::CallResult::text("done"));
  held->on_progress(2, 2, "too late");
  loop.turn();
  ASSERT_TRUE(result->has_value());
  EXPECT_EQ(watching.seen, std::vector<double>{1});
}

TEST_F(Executing, LetsAnotherCallInOnlyWhenAGivenUpOneHasReallyFinished) {
  Scheduler scheduler(loop.io.get_executor(), {});
  tool::Declaration declared = declaration("stuck");
  declared.concurrency_safe = false;
  std::shared_ptr<tool::Invocation> held;
  provider->add(declared, [&](const auto& invocation) { held = invocation; });
  const auto tool = provider->tools().front();

  auto slot = loop.get(scheduler.enter(call, tool));
  call.deadline = std::chrono::steady_clock::now() + 1ms;
  const auto first = loop.get(executor.run(provider, tool, call, std::move(*slot)));
  EXPECT_EQ(first.error().kind, ErrorKind::DeadlineExceeded);

  tool::Call next;
  const auto waiting = loop.start(scheduler.enter(next, tool));
  loop.turn();
  EXPECT_FALSE(waiting->has_value());
  held->finish(tool::CallResult::text("at last"));
  loop.turn();
  EXPECT_TRUE(waiting->has_value());
}

}  // namespace
}  // namespace host::executor
