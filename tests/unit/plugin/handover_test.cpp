// A state goes from build to build, under calls and in both isolations, and is lost only where the
// configuration lets it.
#include <set>

#include "plugin/wire/state_frames.h"
#include "support/places.h"
#include "tool/call/intercepted.h"
#include "unit/plugin/gate.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

TEST(StateFrames, ComeBackWholeAndAreRefusedWhereTheyDoNotFit) {
  const SavedState state{"counter/1", std::string((3u << 20u) + 7, 'x')};
  std::string out;
  write_state(out, state);
  StateReader reader;
  FrameReader frames;
  std::size_t pieces = 0;
  for (std::string_view rest = out; !rest.empty();) {
    const auto room = frames.prepare();
    const std::size_t bytes = std::min(room.size(), rest.size());
    std::copy_n(rest.data(), bytes, room.data());
    frames.commit(bytes);
    rest.remove_prefix(bytes);
    for (auto frame = frames.next(); *frame; frame = frames.next()) {
      if ((*frame)->type == FrameType::State) {
        ++pieces;
        ASSERT_TRUE(reader.add((*frame)->body));
        continue;
      }
      const auto read = reader.end((*frame)->body);
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(read->schema_id, state.schema_id);
      EXPECT_EQ(read->bytes, state.bytes);
    }
  }
  EXPECT_EQ(pieces, 4u);
  EXPECT_FALSE(reader.end(""));
  EXPECT_FALSE(reader.add(std::string(SavedState::kMostBytes + 1, 'x')));
}

class HandoverTest : public PluginTest {
 protected:
  HandoverTest() {
    settings().isolation = GetParam();
    options_.plugins.supervision.quarantine_crashes = 0;
    put("one");
  }
  void put(const std::string& which) {
    install_file(places::build() / "tests/plugins/counter" / ("counter_" + which + ".so"));
  }
  bool serves(const std::string& which) {
    return run_until([&] { return status().version == which; });
  }
  void ask_to_load_again() {
    bool done = false;
    auto asked = [&]() -> boost::asio::awaitable<void> {
      static_cast<void>(co_await host_->reload("zoo"));
    };
    boost::asio::co_spawn(io_, asked, [&done](std::exception_ptr) { done = true; });
    ASSERT_TRUE(run_until([&] { return done; }));
  }
  // The answer of an interceptor's function that was asked of `provider` while it served.
  Answer intercept_by(const std::shared_ptr<tool::Provider>& provider, tool::Function function) {
    prepare_ = [](tool::Invocation& invocation) {
      invocation.nonblocking = true;
      invocation.context = tool::write_intercepted({"tool", "other", ""});
      if (invocation.function == tool::Function::BeforeCall) invocation.arguments.clear();
    };
    const Running running = begin_on(provider, nullptr, function, R"({"content":[]})");
    prepare_ = nullptr;
    return finish(running);
  }
  void count_to_three() {
    start();
    for (const std::string count : {"1", "2", "3"}) EXPECT_EQ(text("count"), count);
  }
};
INSTANTIATE_TEST_SUITE_P(Both, HandoverTest,
                         ::testing::Values(config::Isolation::Worker, config::Isolation::Inline),
                         isolation_name);

TEST_P(HandoverTest, NoCountIsLostOrGivenTwiceUnderCalls) {
  start();
  std::vector<Running> running;
  std::set<std::string> counts;
  int answered = 0;
  const auto collect = [&] {
    std::erase_if(running, [&](const Running& one) {
      if (!one.done()) return false;
      ++answered;
      EXPECT_TRUE(**one.answer) << (*one.answer)->error().message;
      if (**one.answer) counts.insert((*one.answer)->value().content);
      return true;
    });
  };
  for (const std::string which : {"two", "one", "two", "one"}) {
    put(which);
    ASSERT_TRUE(run_until([&] {
      collect();
      while (running.size() < 16) running.push_back(begin("count"));
      return status().version == which;
    })) << status().last_error;
  }
  ASSERT_TRUE(run_until([&] {
    collect();
    return running.empty();
  }));
  EXPECT_GT(answered, 50);
  EXPECT_EQ(counts.size(), static_cast<std::size_t>(answered));
  EXPECT_EQ(text("count"), std::to_string(answered + 1));
}

TEST_P(HandoverTest, ACallByARouteFromBeforeFindsTheStateToo) {
  count_to_three();
  const tool::Entry before = *catalog_.snapshot()->find("count");
  put("two");
  ASSERT_TRUE(serves("two"));
  const Answer answer = finish(begin_on(before.provider, before.tool, tool::Function::Call, "{}"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->content, R"({"type":"text","text":"4"})");
  EXPECT_EQ(text("count"), "5");
}

// Its timers would write the state from before.
TEST_P(HandoverTest, EndsTheInstanceThatGaveItsStateAwayThoughARouteIsLeft) {
  const fs::path granted = folder_ / "granted";
  fs::create_directory(granted);
  if (GetParam() == config::Isolation::Worker) settings().fs = {{granted.string(), true}};
  count_to_three();
  const tool::Entry before = *catalog_.snapshot()->find("count");
  EXPECT_EQ(text("tell_end", gate_in(granted, "ended")), "noted");
  put("two");
  ASSERT_TRUE(serves("two"));
  EXPECT_TRUE(run_until([&] { return fs::exists(granted / "ended"); }));
  const Answer answer = finish(begin_on(before.provider, before.tool, tool::Function::Call, "{}"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(text_in(answer), "4");
}

class EndAfterHandover : public HandoverTest {
 protected:
  EndAfterHandover() {
    fs::create_directory(granted_);
    if (GetParam() == config::Isolation::Worker) settings().fs = {{granted_.string(), true}};
    options_.plugins.handover_timeout = 100ms;
  }
  void replace_it() {
    put("two");
    ASSERT_TRUE(serves("two"));
    EXPECT_EQ(text("count"), "1") << "it could not hand its state over";
    EXPECT_FALSE(fs::exists(granted_ / "ended"));
    open_gate(granted_);
    EXPECT_TRUE(run_until([&] { return fs::exists(granted_ / "ended"); }));
  }
  const fs::path granted_ = folder_ / "granted";
};
INSTANTIATE_TEST_SUITE_P(Both, EndAfterHandover,
                         ::testing::Values(config::Isolation::Worker, config::Isolation::Inline),
                         isolation_name);

TEST_P(EndAfterHandover, ComesWithTheEndOfTheLastCallThoughARouteIsLeft) {
  count_to_three();
  EXPECT_EQ(text("tell_end", gate_in(granted_, "ended")), "noted");
  const Running busy = begin("until", gate_in(granted_));  // has a route too
  replace_it();
  EXPECT_EQ(text_in(finish(busy)), "open");
}

TEST_P(EndAfterHandover, ComesWithTheEndOfItsSaveThoughARouteIsLeft) {
  count_to_three();
  EXPECT_EQ(text("tell_end", gate_in(granted_, "ended")), "noted");
  EXPECT_EQ(text("hold_save", gate_in(granted_)), "held");
  const tool::Entry before = *catalog_.snapshot()->find("count");
  replace_it();
  const Answer answer = finish(begin_on(before.provider, before.tool, tool::Function::Call, "{}"));
  EXPECT_EQ(text_in(answer), "2") << "by the new build";
}

TEST_P(HandoverTest, AnApprovedCallByARouteFromBeforeDoesNotRunInTheNewBuild) {
  count_to_three();
  const tool::Entry before = *catalog_.snapshot()->find("count");
  put("two");
  ASSERT_TRUE(serves("two"));
  prepare_ = [](tool::Invocation& invocation) { invocation.approved = true; };
  const Answer answer = finish(begin_on(before.provider, before.tool, tool::Function::Call, "{}"));
  prepare_ = nullptr;
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("replaced after this call"), std::string::npos);
  EXPECT_EQ(text("count"), "4") << "it did not run";
}

TEST_P(HandoverTest, ACallByARouteFromBeforeDoesNotRunWhereItsToolIsDeclaredOtherwise) {
  count_to_three();
  const tool::Entry before = *catalog_.snapshot()->find("count");
  put("two");
  ASSERT_TRUE(serves("two"));
  tool::Declaration other = before.tool->declared();
  other.read_only = !other.read_only;
  const auto decided_about = *tool::Tool::make(other, before.tool->index());
  const Answer answer =
      finish(begin_on(before.provider, decided_about, tool::Function::Call, "{}"));
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("declares \"count\" otherwise"), std::string::npos);
  EXPECT_EQ(text("count"), "4");
}

TEST_P(HandoverTest, AFunctionOfAnInterceptorByARouteFromBeforeRunsAsTheNewBuildDeclaresIt) {
  put("at_once");
  start();
  const std::shared_ptr<tool::Provider> before = catalog_.plugin("zoo");
  ASSERT_TRUE(before);
  Answer answer = intercept_by(before, tool::Function::BeforeCall);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->structured, R"({"refuse":"main thread"})");
  put("waits");
  ASSERT_TRUE(serves("waits"));
  answer = intercept_by(before, tool::Function::BeforeCall);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->structured, R"({"refuse":"other thread"})");
  for (const auto function : {tool::Function::LeaveCall, tool::Function::CallMessage}) {
    answer = intercept_by(before, function);
    ASSERT_TRUE(answer) << "what the new build lacks changes nothing: " << answer.error().message;
    EXPECT_EQ(answer->structured, "");
  }
}

TEST_P(HandoverTest, ABuildThatIsNoInterceptorAnyMoreFailsTheFunctionsByARouteFromBefore) {
  put("at_once");
  start();
  const std::shared_ptr<tool::Provider> before = catalog_.plugin("zoo");
  put("two");
  ASSERT_TRUE(serves("two"));
  EXPECT_FALSE(intercept_by(before, tool::Function::LeaveCall));
}

TEST_P(HandoverTest, FreshBeginsFresh) {
  settings().state = config::StateOnReload::Fresh;
  count_to_three();
  put("two");
  ASSERT_TRUE(serves("two"));
  EXPECT_EQ(text("count"), "1");
}

TEST_P(HandoverTest, ABuildThatRefusesBeginsFreshUnlessTheStateIsRequired) {
  count_to_three();
  put("refuses");
  ASSERT_TRUE(serves("refuses"));
  EXPECT_EQ(text("count"), "1");
}

TEST_P(HandoverTest, WhereTheStateIsRequiredWhatRefusesItIsRefusedAndTheOldOneCountsOn) {
  settings().state = config::StateOnReload::Require;
  count_to_three();
  put("refuses");
  EXPECT_TRUE(waits_for_reason("not of my kind"));
  EXPECT_EQ(text("count"), "4");
  put("forgets");
  EXPECT_TRUE(waits_for_reason("takes no state"));
  EXPECT_EQ(text("count"), "5");
  put("two");
  ASSERT_TRUE(serves("two"));
  EXPECT_EQ(text("count"), "6");
}

TEST_P(HandoverTest, AStateOverItsLimitIsNone) {
  settings().state = config::StateOnReload::Require;
  put("large");
  start();
  EXPECT_EQ(text("count"), "1");
  put("one");
  EXPECT_TRUE(waits_for_reason("16 MiB"));
  EXPECT_EQ(text("count"), "2");
}

TEST_P(HandoverTest, WhereTheStateIsRequiredASaveThatStillRunsIsNoEndOfIt) {
  settings().state = config::StateOnReload::Require;
  options_.plugins.handover_timeout = 100ms;
  count_to_three();
  EXPECT_EQ(text("hold_save", gate_in(folder_)), "held");
  put("two");
  EXPECT_TRUE(waits_for_reason("save() did not end in time"));
  ask_to_load_again();
  EXPECT_TRUE(waits_for_reason("the save() of an earlier hand-over has not ended"))
      << status().last_error;
  EXPECT_EQ(status().version, "one");
  open_gate(folder_);
  EXPECT_EQ(text("count"), "4");
  ASSERT_TRUE(run_until([&] {
    ask_to_load_again();
    return status().version == "two";
  })) << status().last_error;
  EXPECT_EQ(text("count"), "5");
}

// The outer call, for which the hand-over waits, waits for the nested one.
TEST_P(HandoverTest, ANestedCallIsNotHeldWhileItsOuterCallRuns) {
  options_.plugins.handover_timeout = 20s;
  put("two");  // whose calls run beside each other
  count_to_three();
  const Running outer = begin("until", gate_in(folder_));
  put("one");
  tool::Caller caller;
  caller.passport = test::passport("c1", "anna");
  caller.tool = outer.invocation->tool;
  const auto nested = tool::passport_of_nested(caller, 1);
  std::optional<Running> held;
  ASSERT_TRUE(run_until([&] {
    passport_ = nullptr;
    held = begin("version");
    passport_ = nested;  // whose calls pass, before the hand-over and in it
    const SteadyTime enough = steady_now() + 300ms;
    for (int i = 0; !held->done() && (i < 20 || steady_now() < enough); ++i)
      EXPECT_EQ(text("version"), "two");
    return !held->done();
  }));
  EXPECT_EQ(text("count"), "4");
  caller.tool = nullptr;  // the outer call is none of this plugin's
  passport_ = tool::passport_of_nested(caller, 2);
  const Running below_another = begin("version");
  passport_ = nullptr;
  EXPECT_FALSE(held->done());
  open_gate(folder_);
  EXPECT_TRUE(finish(outer));
  EXPECT_EQ(text_in(finish(*held)), "one");
  EXPECT_EQ(text_in(finish(below_another)), "one");
  EXPECT_EQ(text("count"), "5");
}

class WorkerHandover : public HandoverTest {};
INSTANTIATE_TEST_SUITE_P(InAWorker, WorkerHandover, ::testing::Values(config::Isolation::Worker));

TEST_P(WorkerHandover, ACrashLeavesNoStateToTheNextWorker) {
  options_.plugins.supervision.rollback_window = 0ms;
  count_to_three();
  put("two");
  ASSERT_TRUE(serves("two"));
  EXPECT_EQ(text("count"), "4");
  EXPECT_FALSE(call("die"));
  EXPECT_EQ(text("count"), "1");
}

class RollbackOfAState : public HandoverTest {
 protected:
  RollbackOfAState() { options_.plugins.supervision.rollback_window = 1h; }
  // Leaves a count of 4, which the build "two" has.
  void fail_after(const std::string& before) {
    put(before);
    count_to_three();
    for (int i = 0; i < 7; ++i) EXPECT_EQ(text("version"), before);
    put("two");
    ASSERT_TRUE(serves("two"));
    EXPECT_EQ(text("count"), "4");
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(call("fail"));
  }
};
INSTANTIATE_TEST_SUITE_P(InAWorker, RollbackOfAState, ::testing::Values(config::Isolation::Worker));

TEST_P(RollbackOfAState, AfterFailedCallsGivesTheStateBack) {
  fail_after("one");
  ASSERT_TRUE(serves("one"));
  EXPECT_TRUE(waits_for_reason("rolled back")) << status().last_error;
  EXPECT_EQ(text("count"), "5");
}

TEST_P(RollbackOfAState, WhereTheBuildBeforeRefusesTheStateItBeginsFresh) {
  fail_after("refuses");
  ASSERT_TRUE(serves("refuses"));
  EXPECT_EQ(text("count"), "1");
}

TEST_P(RollbackOfAState, WhereTheStateIsRequiredTheBuildThatHasItServesOn) {
  settings().state = config::StateOnReload::Require;
  fail_after("refuses");
  EXPECT_TRUE(waits_for_reason("cannot be brought back")) << status().last_error;
  EXPECT_EQ(status().version, "two");
  EXPECT_EQ(text("count"), "5");
}

}  // namespace
}  // namespace host::plugin
