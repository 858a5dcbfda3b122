// Several workers of one plugin, workers that have nothing to do, and builds that fail their calls.
#include <signal.h>

#include <algorithm>
#include <map>
#include <set>

#include "plugin/serving/call_tally.h"
#include "support/places.h"
#include "unit/plugin/gate.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

fs::path counter(const std::string& which) {
  return places::build() / "tests/plugins/counter" / ("counter_" + which + ".so");
}

class Workers : public PluginTest {
 protected:
  void start_with(const std::string& which, std::uint32_t workers) {
    settings().workers = workers;
    install(which);
    start();
    ASSERT_TRUE(run_until([&] { return status().pids.size() == workers; }));
  }
  std::vector<tool::Limit> limits_of(const std::string& tool) const {
    return catalog_.snapshot()->find(tool)->tool->limits();
  }
};

TEST_F(Workers, CallsOfASerialPluginRunSideBySideInAsManyProcesses) {
  start_with("serial", 4);
  const std::vector<pid_t> pids = status().pids;
  EXPECT_EQ(std::set<pid_t>(pids.begin(), pids.end()).size(), 4u);
  EXPECT_EQ(status().workers, 4u);
  std::atomic<int> begun = 0;
  prepare_ = [&begun](tool::Invocation& invocation) {
    invocation.on_progress = [&begun](double, double, const std::string&) { ++begun; };
  };
  std::vector<Running> running;
  for (int i = 0; i < 4; ++i) running.push_back(begin("slow", R"({"ms":60000})"));
  EXPECT_TRUE(run_until([&] { return begun == 4; }));
  for (const Running& one : running) one.provider->cancel(one.invocation);
  for (const Running& one : running) EXPECT_FALSE(finish(one));
}

TEST_F(Workers, TheSchedulersGroupOfASerialPluginIsAsLargeAndAToolsOwnStaysOne) {
  settings().tools["slow"].concurrency_safe = false;
  start_with("serial", 3);
  std::map<std::uint32_t, int> by_capacity;
  for (const tool::Limit& limit : limits_of("slow")) ++by_capacity[limit.capacity];
  EXPECT_EQ(by_capacity[3], 1);
  EXPECT_EQ(by_capacity[1], 1);
  for (const tool::Limit& limit : limits_of("pending")) EXPECT_NE(limit.capacity, 1u);
}

TEST_F(Workers, ACrashTakesNoCallOfAnotherWorker) {
  options_.plugins.supervision.restart_pause = 0ms;
  start_with("serial", 2);
  const Running slow = begin("until", gate_in(folder_));
  const Answer crashed = call("crash");
  ASSERT_FALSE(crashed);
  EXPECT_EQ(crashed.error().kind, ErrorKind::PluginFault);
  EXPECT_FALSE(slow.done());
  EXPECT_EQ(text("version"), "one");  // of the next: the other one's worker is held
  open_gate(folder_);
  EXPECT_TRUE(finish(slow));
  EXPECT_EQ(status().crashes, 1u);
}

TEST_F(Workers, AWorkerOfASerialPluginHasOneCallWhileTheOtherIsAway) {
  options_.plugins.supervision.restart_pause = 60s;
  start_with("serial", 2);
  EXPECT_FALSE(call("crash"));
  ASSERT_TRUE(run_until([&] { return status().pids.size() == 1; }));
  std::atomic<int> begun = 0;
  prepare_ = [&begun](tool::Invocation& invocation) {
    invocation.on_progress = [&begun](double, double, const std::string&) { ++begun; };
  };
  const Running first = begin("until", gate_in(folder_, "first"));
  const Running second = begin("until", gate_in(folder_, "second"));
  const Running third = begin("until", gate_in(folder_, "third"));
  third.provider->cancel(third.invocation);
  const Answer never = finish(third);
  ASSERT_FALSE(never);
  EXPECT_NE(never.error().message.find("before it began"), std::string::npos);
  EXPECT_TRUE(run_until([&] { return begun == 1; }));
  run_for(50ms);
  EXPECT_EQ(begun, 1);
  open_gate(folder_, "first");
  const Answer one = finish(first);
  EXPECT_TRUE(one) << one.error().message;
  EXPECT_TRUE(run_until([&] { return begun == 2; }));
  EXPECT_FALSE(second.done());
  open_gate(folder_, "second");
  EXPECT_TRUE(finish(second));
}

TEST_F(Workers, CrashesOfAllCountTogether) {
  options_.plugins.supervision.restart_pause = 0ms;
  options_.plugins.supervision.quarantine_crashes = 2;
  options_.plugins.supervision.poison_crashes = 0;
  start_with("serial", 2);
  const Running first = begin("crash");
  const Running second = begin("crash");
  EXPECT_FALSE(finish(first));
  EXPECT_FALSE(finish(second));
  EXPECT_EQ(status().state, State::Quarantined);
  EXPECT_NE(text("version").find("quarantined"), std::string::npos);
}

TEST_F(Workers, ANewBuildHasAsManyAndTheOldOnesEnd) {
  start_with("one", 3);
  const std::vector<pid_t> old = status().pids;
  install("two");
  ASSERT_TRUE(run_until([&] { return text("version") == "two"; }));
  EXPECT_TRUE(run_until([&] { return status().pids.size() == 3; }));
  EXPECT_TRUE(run_until([&] {
    return std::all_of(old.begin(), old.end(), [](pid_t pid) { return ::kill(pid, 0) != 0; });
  }));
}

TEST_F(Workers, AStateIsOfOneWorkerAlone) {
  settings().workers = 2;
  install_file(counter("one"));
  start();
  EXPECT_NE(status().last_error.find("workers = 1"), std::string::npos) << status().last_error;
  EXPECT_FALSE(status().serving);
}

TEST_F(Workers, AStateIsNotSplitBetweenReadingAndWritingTools) {
  settings().split_read_only = true;
  install_file(counter("one"));
  start();
  EXPECT_NE(status().last_error.find("split_read_only = false"), std::string::npos)
      << status().last_error;
  EXPECT_FALSE(status().serving);
}

TEST_F(Workers, APluginWhoseStateIsNotWantedMayHaveSeveral) {
  settings().workers = 2;
  settings().state = config::StateOnReload::Fresh;
  install_file(counter("one"));
  start();
  EXPECT_EQ(text("version"), "one");
}

// ---- nothing to do

class IdleWorker : public PluginTest {
 protected:
  IdleWorker() { options_.plugins.idle_stop = 100ms; }
};

TEST_F(IdleWorker, IsStoppedAndStartsWithTheNextCall) {
  settings().idle_stop = 100ms;
  install("one");
  start();
  const auto layers = status().layers.size();
  EXPECT_GT(status().pid, 0);
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(run_until([&] { return status().pid == 0; }));
    EXPECT_TRUE(status().serving);
    EXPECT_EQ(status().layers.size(), layers);
    EXPECT_EQ(text("version"), "one");
    EXPECT_GT(status().pid, 0);
  }
  EXPECT_EQ(status().restarts, 0u);
  EXPECT_EQ(status().crashes, 0u);
}

TEST_F(IdleWorker, LosesNoCallThatComesWhileItStops) {
  settings().idle_stop = 20ms;
  install("one");
  start();
  int failed = 0;
  for (int i = 0; i < 60; ++i) {
    run_for(std::chrono::milliseconds(15 + i % 12));
    if (text("version") != "one") ++failed;
  }
  EXPECT_EQ(failed, 0);
}

TEST_F(IdleWorker, IsNotStoppedUnderACall) {
  settings().idle_stop = 50ms;
  install("one");
  start();
  const pid_t pid = status().pid;
  const Running slow = begin("slow", R"({"ms":500})");
  ASSERT_TRUE(finish(slow));
  EXPECT_EQ(status().pid, pid);
}

TEST_F(IdleWorker, IsStoppedUnaskedOnlyWhereAllToolsRead) {
  const fs::path clock = places::build() / "plugins/clock.so";
  install("one");  // has tools that write
  options_.plugins.by_name["never"].idle_stop = 0ms;
  for (const std::string name : {"clock", "never"}) install_file(clock, name);
  options_.plugins.on_conflict = "namespace";
  start();
  ASSERT_TRUE(run_until([&] { return status("clock").pid == 0; }));
  run_for(200ms);
  EXPECT_GT(status().pid, 0);
  EXPECT_GT(status("never").pid, 0);
}

TEST_F(IdleWorker, WithAStateIsNeverStopped) {
  settings().idle_stop = 30ms;
  install_file(counter("one"));
  start();
  EXPECT_EQ(text("count"), "1");
  run_for(300ms);
  EXPECT_EQ(text("count"), "2");
}

TEST_F(IdleWorker, ThatWaitsForATimerIsNotStopped) {
  options_.services = std::make_shared<ServiceTable>();
  settings("services").idle_stop = 60ms;
  install_file(places::build() / "tests/plugins/services.so", "services");
  start();
  ASSERT_TRUE(run_until([&] { return status("services").pid == 0; }));
  EXPECT_EQ(text("timer_leave", R"({"period_ms":3600000,"count":1})"), "left");
  const pid_t pid = status("services").pid;
  run_for(400ms);
  EXPECT_EQ(status("services").pid, pid);
}

TEST_F(IdleWorker, IsNotStoppedInTheMiddleOfATimersFunction) {
  options_.services = std::make_shared<ServiceTable>();
  options_.plugins.end_timeout = 100ms;  // one that is stopped is soon gone
  settings("services").idle_stop = 60ms;
  install_file(places::build() / "tests/plugins/services.so", "services");
  start();
  EXPECT_EQ(text("timer_sleep", R"({"period_ms":3000,"count":1})"), "left");
  const pid_t pid = status("services").pid;
  run_for(700ms);
  EXPECT_EQ(status("services").pid, pid);
  EXPECT_TRUE(run_until([&] { return status("services").pid == 0; }));
}

TEST_F(IdleWorker, OfAReplacedBuildLeavesNothingBehind) {
  settings().idle_stop = 30ms;
  install("one");
  start();
  ASSERT_TRUE(run_until([&] { return status().pid == 0; }));
  install("two");
  EXPECT_TRUE(run_until([&] { return text("version") == "two"; }));
}

// ---- builds that fail their calls

TEST(CallTally, CountsWhatIsTheBuildsOwnFault) {
  tool::Invocation call;
  call.cancel = std::make_shared<Cancel>();
  const SteadyTime now = std::chrono::steady_clock::now();
  const auto faulty = [&](ErrorKind kind) {
    return CallTally::is_fault(call, Error{kind, "x"}, now);
  };
  EXPECT_FALSE(CallTally::is_fault(call, tool::CallResult::error("no such row"), now));
  EXPECT_TRUE(faulty(ErrorKind::PluginFault));
  EXPECT_TRUE(faulty(ErrorKind::Internal));
  EXPECT_FALSE(faulty(ErrorKind::InvalidArgument));
  EXPECT_FALSE(faulty(ErrorKind::Unavailable));
  EXPECT_FALSE(faulty(ErrorKind::Cancelled));
  call.cancel->request();
  EXPECT_FALSE(faulty(ErrorKind::PluginFault));  // its caller gave it up
  call.deadline = now - 1ms;
  EXPECT_TRUE(faulty(ErrorKind::Cancelled));  // the host did, when its time was over
}

TEST(CallTally, IsFarWorseByManyFaultsAgainstWhatWasUsual) {
  const auto tally = [](int calls, int faults) {
    CallTally made;
    for (int i = 0; i < calls; ++i) made.add(i < faults);
    return made;
  };
  EXPECT_TRUE(tally(10, 5).far_worse_than(tally(100, 1), 5));
  EXPECT_FALSE(tally(10, 4).far_worse_than(tally(100, 1), 5));    // too few
  EXPECT_FALSE(tally(100, 20).far_worse_than(tally(100, 1), 5));  // too rare
  EXPECT_FALSE(tally(10, 6).far_worse_than(tally(100, 20), 5));   // as it was
  EXPECT_FALSE(tally(10, 6).far_worse_than(tally(9, 0), 5));      // nothing to compare with
  EXPECT_FALSE(tally(10, 10).far_worse_than(tally(100, 0), 0));   // not wanted
  CallTally long_served;                                          // what was long ago counts little
  for (int i = 0; i < 5000; ++i) long_served.add(false);
  EXPECT_LE(long_served.calls(), 1000u);
  for (int i = 0; i < 1000; ++i) long_served.add(true);
  EXPECT_TRUE(long_served.far_worse_than(tally(100, 1), 5));
}

class FailingBuild : public PluginTest {
 protected:
  void make_calls(const std::string& tool, int count) {
    for (int i = 0; i < count; ++i) static_cast<void>(call(tool, R"({"n":8})"));
  }
  // -8: TP_E_INTERNAL.
  void fail_calls(int count) { make_calls("status", count); }
  void begin_with(int calls, int faults) {
    install("one");
    start();
    make_calls("version", calls - faults);
    fail_calls(faults);
    install("two");
    ASSERT_TRUE(run_until([&] { return status().generation == 2; }));  // without more calls
    ASSERT_EQ(text("version"), "two");
  }
  bool rolled_back() { return status().last_error.find("rolled back") != std::string::npos; }
};

TEST_F(FailingBuild, IsRolledBackAndSaysWhy) {
  begin_with(20, 0);
  fail_calls(4);
  run_for(50ms);
  EXPECT_FALSE(rolled_back());
  fail_calls(1);
  ASSERT_TRUE(run_until([&] { return text("version") == "one"; }));
  ASSERT_TRUE(run_until([&] { return rolled_back(); }));
  EXPECT_NE(status().last_error.find("failed by its own fault"), std::string::npos);
  await(host_->reload());  // the same file is not tried again
  EXPECT_EQ(text("version"), "one");
}

TEST_F(FailingBuild, IsLeftWhereItsToolsTellErrors) {
  begin_with(20, 0);
  make_calls("fail", 20);
  run_for(50ms);
  EXPECT_EQ(text("version"), "two");
}

TEST_F(FailingBuild, IsLeftWhereTheBuildBeforeFailedAsMuch) {
  begin_with(20, 8);
  fail_calls(12);
  run_for(50ms);
  EXPECT_EQ(text("version"), "two");
}

TEST_F(FailingBuild, IsLeftWhereOnlyCrashesCount) {
  options_.plugins.supervision.rollback_faults = 0;
  begin_with(20, 0);
  fail_calls(12);
  run_for(50ms);
  EXPECT_EQ(text("version"), "two");
}

}  // namespace
}  // namespace host::plugin
