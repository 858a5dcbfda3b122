// One plugin, its calls, in both isolations; then what only a worker can bear.
#include <signal.h>
#include <sys/wait.h>

#include <fstream>
#include <mutex>

#include "plugin/instance/call_table.h"
#include "sandbox/sanitized.h"
#include "unit/plugin/gate.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

class PluginCall : public PluginTest {
 protected:
  PluginCall() {
    settings().isolation = GetParam();
    install("one");
  }
};
INSTANTIATE_TEST_SUITE_P(Both, PluginCall,
                         ::testing::Values(config::Isolation::Worker, config::Isolation::Inline),
                         isolation_name);

TEST_P(PluginCall, AnswersAndSaysHowItStands) {
  start();
  EXPECT_EQ(text("version"), "one");
  const PluginStatus now = status();
  EXPECT_EQ(now.state, State::Active);
  EXPECT_EQ(now.generation, 1u);
  EXPECT_EQ(now.id, "io.toolpost.test.zoo");
  EXPECT_EQ(now.hash.size(), 64u);
  EXPECT_EQ(now.tools.size(), 12u);
  EXPECT_EQ(now.pid != 0, GetParam() == config::Isolation::Worker);
  ASSERT_EQ(now.history.size(), 1u);
  EXPECT_TRUE(now.history[0].accepted);
}

TEST_P(PluginCall, ManyCallsAtOnceAreAllAnswered) {
  start();
  std::vector<Running> running;
  for (int i = 0; i < 500; ++i)
    running.push_back(begin(i % 3 == 0 ? "slow" : "version", R"({"ms":4})"));
  for (const Running& one : running) EXPECT_TRUE(finish(one));
}

TEST_P(PluginCall, PushesBecomeBlocks) {
  start();
  const Answer answer = call("push");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(
      answer->content,
      R"({"type":"text","text":"ab"},{"type":"image","mimeType":"image/png","data":"cG5n"},)"
      R"({"type":"resource","resource":{"uri":"toolpost://call/c1/1","mimeType":"text/csv","blob":"YSxi"}},)"
      R"({"uri":"file:///x","name":"x","type":"resource_link"},{"type":"text","text":"c"})");
  EXPECT_EQ(answer->structured, R"({"n":1})");
}

TEST_P(PluginCall, AnErrorOfTheToolIsAResult) {
  start();
  const Answer failed = call("fail");
  ASSERT_TRUE(failed);
  EXPECT_TRUE(failed->is_error);
  EXPECT_EQ(failed->content, R"({"type":"text","text":"no such row"})");
  EXPECT_TRUE(call("status", R"({"minus":0})")->is_error);  // TP_OK, with nothing pushed: case 35
  EXPECT_TRUE(call("status", R"({"minus":1})")->is_error);
  EXPECT_EQ(call("status", R"({"minus":8})").error().kind, ErrorKind::PluginFault);
}

TEST_P(PluginCall, AnErrorThatIsRefusedIsNoSuccess) {
  options_.result_bytes = 64u << 20u;
  start();
  const Running beside = begin("until", gate_in(folder_));
  const std::string refused = "the plugin reported a failure, but the host refused its error: ";
  for (const auto& [arguments, why] :
       {std::pair(R"({"n":1})", "its message is not UTF-8"),
        std::pair(R"({"n":2})", "its message is not UTF-8"), std::pair(R"({"n":3})", "1048576")}) {
    const Answer failed = call("fail", arguments);
    ASSERT_TRUE(failed) << failed.error().message;
    EXPECT_TRUE(failed->is_error) << arguments;
    EXPECT_NE(failed->content.find(refused), std::string::npos) << failed->content;
    EXPECT_NE(failed->content.find(why), std::string::npos) << failed->content;
  }
  open_gate(folder_);
  EXPECT_EQ(text_in(finish(beside)), "one");
  EXPECT_EQ(status().crashes, 0u);
}

// Case 34.
TEST_P(PluginCall, AFailureLeavesTheCallsBesideItAlone) {
  start();
  const Running before = begin("until", gate_in(folder_));
  const Running failing = begin("fail");
  const Running after = begin("slow", R"({"ms":100})");
  EXPECT_TRUE(finish(failing)->is_error);
  EXPECT_FALSE(before.done());
  open_gate(folder_);
  EXPECT_FALSE(finish(before)->is_error);
  EXPECT_FALSE(finish(after)->is_error);
}

TEST_P(PluginCall, ALargeResultComesWholeAndATooLargeOneIsRefused) {
  options_.result_bytes = 6u << 20u;
  start();
  EXPECT_EQ(text("big", R"({"bytes":5000000})").size(), 5'000'000u);
  const Answer too_large = call("big", R"({"bytes":7000000})");
  ASSERT_TRUE(too_large);
  EXPECT_TRUE(too_large->is_error);
  EXPECT_EQ(text("version"), "one");
}

TEST_P(PluginCall, APendingCallCompletesOnceHoweverOftenThePluginSaysSo) {
  start();
  const std::uint64_t strays = CallTable::of_process().stray_completions();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(text("pending"), "late");
  if (GetParam() == config::Isolation::Inline) {
    EXPECT_TRUE(
        run_until([&] { return CallTable::of_process().stray_completions() >= strays + 19; }));
  }
  EXPECT_EQ(text("version"), "one");
}

TEST_P(PluginCall, TellsProgressPartsAndLogLinesToWhoWatches) {
  start();
  std::mutex mutex;
  std::vector<std::string> heard;
  const auto hear = [&](std::string what) {
    const std::lock_guard lock(mutex);
    heard.push_back(std::move(what));
  };
  prepare_ = [&](tool::Invocation& invocation) {
    invocation.on_progress = [&](double done, double total, std::string message) {
      hear(message + " " + std::to_string(static_cast<int>(done)) + "/" +
           std::to_string(static_cast<int>(total)));
    };
    invocation.on_log = [&](int, std::string logger, std::string message, std::string fields) {
      hear(logger + ": " + message + fields);
    };
  };
  EXPECT_EQ(text("tell"), "told");
  EXPECT_EQ(heard, (std::vector<std::string>{"zoo: in a call{\"n\":1}", "half 1/2", "a part 1/2"}));
}

TEST_P(PluginCall, ACallKnowsWhoCalls) {
  start();
  EXPECT_EQ(text("who"), "anna");
}

TEST_P(PluginCall, CheckFunctionsAnswerAndASilentOneIsAFault) {
  start();
  const Answer yes = finish(begin("version", "{}", tool::Function::CheckReadOnly));
  ASSERT_TRUE(yes);
  EXPECT_EQ(yes->structured, "true");
  const Answer silent = finish(begin("pending", "{}", tool::Function::MatchRule));
  EXPECT_EQ(silent.error().kind, ErrorKind::PluginFault);
}

TEST_P(PluginCall, ACancelledCallStops) {
  start();
  const Running slow = begin("slow", R"({"ms":20000})");
  run_for(30ms);
  slow.invocation->cancel->request();
  slow.provider->cancel(slow.invocation);
  const Answer answer = finish(slow);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::Cancelled);
  EXPECT_EQ(text("version"), "one");
}

TEST_P(PluginCall, SettingsOfThePluginAreApplied) {
  settings().tools["crash"].enabled = false;
  settings().trust_read_only = false;
  start();
  EXPECT_EQ(catalog_.snapshot()->find("crash"), nullptr);
  EXPECT_FALSE(catalog_.snapshot()->find("version")->tool->declared().read_only);
}

TEST_P(PluginCall, ASerialInstanceNeverRunsTwoCallsAtOnceEvenForChecks) {
  install("serial");
  start();
  EXPECT_EQ(catalog_.snapshot()->find("slow")->tool->limits().at(0).key, "serial:zoo");
  const Running slow = begin("slow", R"({"ms":60})");
  const Running check = begin("version", "{}", tool::Function::CheckReadOnly);
  ASSERT_TRUE(finish(check));
  EXPECT_TRUE(slow.done());
}

TEST_P(PluginCall, ACallThatIsCancelledInTheQueueEndsAtOnceAndCostsTheOneBeforeItNothing) {
  install("serial");
  start();
  const Running slow = begin("until", gate_in(folder_));
  const Running queued = begin("version");
  run_for(50ms);
  queued.provider->cancel(queued.invocation);
  EXPECT_EQ(finish(queued).error().kind, ErrorKind::Cancelled);
  run_for(options_.call.grace * 2);  // in which a call that ignores its cancel would be ended
  EXPECT_FALSE(slow.done());
  open_gate(folder_);
  EXPECT_TRUE(finish(slow));
  EXPECT_EQ(text("version"), "one");
  EXPECT_EQ(status().restarts, 0u);
}

TEST_P(PluginCall, ADisabledPluginIsNotLoaded) {
  settings().enabled = false;
  start();
  EXPECT_EQ(status().state, State::Disabled);
  EXPECT_FALSE(status().serving);
}

class WorkerCall : public PluginTest {
 protected:
  WorkerCall() { install("one"); }
};

TEST_F(WorkerCall, ACrashEndsItsCallsWithTheSignalAndTheNextCallWorks) {
  start();
  const Running other = begin("slow", R"({"ms":20000})");
  run_for(20ms);
  const Answer crashed = call("crash");
  ASSERT_FALSE(crashed);
  EXPECT_EQ(crashed.error().kind, ErrorKind::PluginFault);
  EXPECT_NE(crashed.error().message.find("signal 6"), std::string::npos) << crashed.error().message;
  EXPECT_FALSE(finish(other));
  EXPECT_EQ(text("version"), "one");
  EXPECT_EQ(status().restarts, 1u);
}

TEST_F(WorkerCall, AKilledWorkerIsReplaced) {
  start();
  const Running slow = begin("slow", R"({"ms":20000})");
  run_for(20ms);
  ASSERT_EQ(::kill(status().pid, SIGKILL), 0);
  const Answer lost = finish(slow);
  ASSERT_FALSE(lost);
  EXPECT_NE(lost.error().message.find("signal 9"), std::string::npos) << lost.error().message;
  EXPECT_EQ(text("version"), "one");
}

TEST_F(WorkerCall, CrashesInARowMakeThePauseLonger) {
  start();
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(call("crash"));
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(text("version"), "one");
  EXPECT_GE(std::chrono::steady_clock::now() - before, 150ms);
}

TEST_F(WorkerCall, ACallThatIgnoresItsCancelCostsTheWorkerItsLife) {
  start();
  EXPECT_EQ(text("version"), "one");  // the worker is there
  const Running stubborn = begin("stubborn", R"({"ms":20000})");
  run_for(200ms);
  stubborn.provider->cancel(stubborn.invocation);
  const Answer killed = finish(stubborn);
  ASSERT_FALSE(killed);
  EXPECT_NE(killed.error().message.find("grace"), std::string::npos) << killed.error().message;
  EXPECT_EQ(text("version"), "one");
}

class StuckCall : public WorkerCall {
 protected:
  // One that is inside the plugin.
  Running begun(const std::string& tool, std::chrono::milliseconds deadline,
                const std::string& arguments = R"({"ms":600000})") {
    bool inside = false;
    prepare_ = [&inside, deadline](tool::Invocation& invocation) {
      invocation.deadline = std::chrono::steady_clock::now() + deadline;
      invocation.on_progress = [&inside](double, double, const std::string&) { inside = true; };
    };
    Running running = begin(tool, arguments);
    prepare_ = nullptr;
    EXPECT_TRUE(run_until([&] { return inside || running.done(); }));
    running.invocation->on_progress = nullptr;
    return running;
  }
  // A cancelled call that runs on counts until it has ended, though its worker was set aside.
  void keeps_its_place() {
    const Running slow = begun("slow", 1h);
    const Running stubborn = begun("stubborn", 1h);
    stubborn.provider->cancel(stubborn.invocation);
    EXPECT_TRUE(run_until([&] { return status().pids.size() == 2 || text("version") != "one"; }));
    EXPECT_EQ(status().pids.size(), 2u);
    run_for(options_.call.grace * 2);
    EXPECT_FALSE(stubborn.done());
    slow.provider->cancel(slow.invocation);
    EXPECT_FALSE(finish(slow));
    EXPECT_FALSE(finish(stubborn));
  }
};

TEST_F(StuckCall, CostsNoOtherItsEndWhereItWasTakenBack) {
  start();
  const pid_t old = status().pids.at(0);
  const Running slow = begun("slow", 1h);
  const Running stubborn = begun("stubborn", 1h);
  stubborn.provider->cancel(stubborn.invocation);
  EXPECT_EQ(finish(stubborn).error().kind, ErrorKind::Cancelled);  // it runs on, and is let go of
  EXPECT_EQ(text("version"), "one");
  const auto both = status().pids;
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[1], old);
  run_for(options_.call.grace * 2);
  EXPECT_FALSE(slow.done());
  EXPECT_EQ(status().pids.size(), 2u);
  slow.provider->cancel(slow.invocation);  // the last one: now the worker can end
  EXPECT_FALSE(finish(slow));
  EXPECT_TRUE(run_until([&] { return status().pids.size() == 1; }));
  EXPECT_EQ(status().pids[0], both[0]);
  EXPECT_EQ(status().crashes, 0u);
}

TEST_F(StuckCall, EndsItsWorkerAtItsDeadlineWhereItWasTakenBack) {
  start();
  const Running slow = begun("slow", 1h);
  const Running stubborn = begun("stubborn", 2s);
  stubborn.provider->cancel(stubborn.invocation);
  const Answer lost = finish(slow);
  ASSERT_FALSE(lost);
  EXPECT_NE(lost.error().message.find("was lost"), std::string::npos) << lost.error().message;
  EXPECT_GE(std::chrono::steady_clock::now(), stubborn.invocation->deadline);
}

TEST_F(StuckCall, PastItsDeadlineCostsNoNewOneItsEnd) {
  options_.call.grace = 3s;  // in which the worker may still be killed
  start();
  const pid_t old = status().pids.at(0);
  const Running stubborn = begun("stubborn", 500ms);
  ASSERT_TRUE(
      run_until([&] { return std::chrono::steady_clock::now() >= stubborn.invocation->deadline; }));
  std::vector<Running> calls;
  while (!stubborn.done()) {
    calls.push_back(begin("slow", R"({"ms":100})"));
    run_for(20ms);
  }
  EXPECT_GT(calls.size(), 1u);
  for (const Running& one : calls) EXPECT_EQ(text_in(finish(one)), "one");
  ASSERT_EQ(status().pids.size(), 1u);
  EXPECT_NE(status().pids[0], old);
}

TEST_F(StuckCall, TakesNoStateAway) {
  options_.call.grace = 3s;
  install_file(places::build() / "tests/plugins/counter/counter_two.so");
  start();
  EXPECT_EQ(text("count"), "1");
  const std::vector<pid_t> old = status().pids;
  const Running late = begun("stay", 500ms, "{}");
  ASSERT_TRUE(
      run_until([&] { return std::chrono::steady_clock::now() >= late.invocation->deadline; }));
  int count = 1;
  while (!late.done()) {
    const Running next = begin("count");
    EXPECT_TRUE(run_until([&] { return next.done(); }));
    if (late.done() || status().pids != old) {  // killed, and not before the grace was over
      EXPECT_GE(std::chrono::steady_clock::now(), late.invocation->deadline + options_.call.grace);
      break;
    }
    EXPECT_EQ(text_in(finish(next)), std::to_string(++count));
    EXPECT_EQ(status().pids, old);
    run_for(20ms);
  }
  EXPECT_GT(count, 1) << text_in(finish(late));
}

TEST_F(StuckCall, TakesNoStateAwayWhereItWasTakenBack) {
  install_file(places::build() / "tests/plugins/counter/counter_two.so");
  start();
  const std::vector<pid_t> old = status().pids;
  EXPECT_EQ(text("count"), "1");
  const Running other = begun("stay", 1h, "{}");
  const Running gone = begun("stay", 1h, "{}");
  gone.provider->cancel(gone.invocation);
  run_for(options_.call.grace * 3);
  EXPECT_EQ(text("count"), "2");
  EXPECT_EQ(status().pids, old);
  EXPECT_FALSE(gone.done()) << text_in(finish(gone));  // it has its place until it ends
  other.provider->cancel(other.invocation);
  EXPECT_FALSE(finish(other));
  EXPECT_FALSE(finish(gone));
}

TEST_F(StuckCall, LetsTheNextOnesOfASerialPluginGoOn) {
  settings().workers = 2;
  install("serial");
  start();
  ASSERT_TRUE(run_until([&] { return status().pids.size() == 2; }));
  const Running one = begun("stubborn", 1h);
  const Running two = begun("stubborn", 1h);
  const tool::Entry* version = catalog_.snapshot()->find("version");
  ASSERT_NE(version, nullptr);
  std::vector<Running> behind;  // each worker has another call, for which it is not killed
  for (int i = 0; i < 2; ++i) {
    behind.push_back(
        begin_on(version->provider, version->tool, tool::Function::CheckReadOnly, "{}"));
  }
  const std::vector<Running> waiting = {begin("version"), begin("version")};
  one.provider->cancel(one.invocation);
  two.provider->cancel(two.invocation);
  for (const Running& each : waiting) EXPECT_EQ(text_in(finish(each)), "one");
  for (const Running& each : behind) {
    EXPECT_FALSE(each.done());
    each.provider->cancel(each.invocation);
  }
  for (const Running& each : behind) EXPECT_FALSE(finish(each));
}

TEST_F(StuckCall, KeepsItsPlaceWhereThePluginsLimitWasLowered) {
  settings().max_inflight = 2;
  start();
  keeps_its_place();
}

TEST_F(StuckCall, KeepsItsPlaceWhereThePluginsLimitWasRaised) {
  settings().max_inflight = 65;
  start();
  keeps_its_place();
}

TEST_F(StuckCall, CountsTheCrashOfItsWorkerByThatWorkersTime) {
  options_.plugins.supervision.restart_healthy = 400ms;
  options_.plugins.supervision.restart_pause = 400ms;
  start();
  ::kill(status().pids.at(0), SIGKILL);
  EXPECT_TRUE(run_until([&] { return status().crashes == 1; }));
  EXPECT_EQ(text("version"), "one");
  const pid_t old = status().pids.at(0);
  const Running slow = begun("slow", 1h);
  const Running stubborn = begun("stubborn", 1h);
  run_for(options_.plugins.supervision.restart_healthy);
  stubborn.provider->cancel(stubborn.invocation);
  EXPECT_EQ(finish(stubborn).error().kind, ErrorKind::Cancelled);
  EXPECT_EQ(text("version"), "one");
  const pid_t fresh = status().pids.at(0);
  ASSERT_NE(fresh, old);
  ::kill(old, SIGKILL);  // had run for long: the first in a row
  EXPECT_FALSE(finish(slow));
  ::kill(fresh, SIGKILL);  // the second: the pause is at most one second, and a call waits for it
  EXPECT_TRUE(run_until([&] { return status().crashes == 3; }));
  EXPECT_EQ(text("version"), "one");
}

TEST_F(StuckCall, ThatStopsAtItsDeadlineCostsNoWorker) {
  start();
  const pid_t old = status().pids.at(0);
  const Running slow = begun("slow", 100ms);
  EXPECT_FALSE(finish(slow));
  EXPECT_EQ(text("version"), "one");
  EXPECT_EQ(status().pids, std::vector<pid_t>{old});
}

TEST_F(WorkerCall, AWorkerThatReadsItsSocketNoMoreIsKilledAndReplaced) {
  install("wedges");
  options_.ping_every = 50ms;
  options_.pong_within = 1s;
  start();
  const pid_t first = status().pid;
  const Running beside = begin("slow", R"({"ms":600000})");
  const Running wedged = begin("stubborn", R"({"ms":600000})");
  for (const Running& one : {beside, wedged}) {
    const Answer lost = finish(one);
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().kind, ErrorKind::PluginFault);
    EXPECT_NE(lost.error().message.find("does not answer any more"), std::string::npos)
        << lost.error().message;
  }
  EXPECT_EQ(text("version"), "one");
  EXPECT_EQ(status().restarts, 1u);
  EXPECT_NE(status().pid, first);
}

TEST_F(WorkerCall, ABusyWorkerThatReadsItsSocketIsLeftAlone) {
  options_.ping_every = 50ms;
  options_.pong_within = 1s;
  start();
  EXPECT_EQ(text("stubborn", R"({"ms":2500})"), "one");
  EXPECT_EQ(status().restarts, 0u);
}

TEST_F(WorkerCall, ADeadlineIsHeldByTheHost) {
  start();
  prepare_ = [](tool::Invocation& invocation) {
    invocation.deadline = std::chrono::steady_clock::now() + 50ms;
  };
  const Answer late = call("slow", R"({"ms":20000})");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::Cancelled);
}

TEST_F(WorkerCall, LeavesNoChildAndNoCopyBehind) {
  start();
  EXPECT_FALSE(call("crash"));
  EXPECT_EQ(text("version"), "one");
  stop();
  run_until([] { return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }, 3s);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  EXPECT_TRUE(fs::is_empty(folder_ / "cache"));
}

TEST_F(WorkerCall, AnIdleWorkerIsSmall) {
  if (sandbox::kSanitizer) GTEST_SKIP() << "a sanitizer's memory is in it";
  start();
  EXPECT_EQ(text("version"), "one");
  std::ifstream rollup("/proc/" + std::to_string(status().pid) + "/smaps_rollup");
  long private_kib = 0;
  for (std::string line; std::getline(rollup, line);) {
    if (line.starts_with("Private_")) private_kib += std::stol(line.substr(line.find(':') + 1));
  }
  RecordProperty("private_kib", static_cast<int>(private_kib));
  EXPECT_GT(private_kib, 0);
  EXPECT_LE(private_kib, 1536);
}

}  // namespace
}  // namespace host::plugin
