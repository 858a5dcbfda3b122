// What a crash is told by, what it costs others, and what comes after it.
#include <csignal>
#include <cstring>
#include <fstream>

#include "plugin/process/symbolizer.h"
#include "plugin/wire/crash_dump.h"
#include "support/places.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

std::string bytes_of(const CrashDump::Header& header, const std::vector<std::uint64_t>& frames) {
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(frames.data()), frames.size() * sizeof frames[0]);
  return bytes;
}

TEST(CrashDump, IsReadAtEveryTruncationAndKeepsFramesOfThePluginAlone) {
  CrashDump::Header header;
  header.signal = SIGSEGV;
  header.call_id = 7;
  header.system_call = 101;
  const std::string whole = bytes_of(header, {0x10, CrashDump::kForeign, 0x20});
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const auto dump = read_crash_dump(std::string_view(whole).substr(0, size));
    EXPECT_EQ(dump.has_value(), size >= CrashDump::kHeaderBytes) << size;
  }
  const auto dump = read_crash_dump(whole);
  EXPECT_EQ(dump->header.call_id, 7u);
  EXPECT_EQ(dump->header.system_call, 101);
  EXPECT_EQ(dump->frames, (std::vector<std::uint64_t>{0x10, 0x20}));
  header.magic = 0;
  EXPECT_FALSE(read_crash_dump(bytes_of(header, {})));
}

TEST(Symbolizer, ReadsPlacesAndLeavesOutWhatDoesNotFit) {
  const Trace trace = read_trace(
      "copy\t/usr/include/c++/12/vector\t9\npoke\t/home/x/zoo.c\t42\n\nmain\t\tx\n\xff\t\t1\ncut");
  ASSERT_EQ(trace.size(), 3u);
  EXPECT_EQ(trace[1].line, 42u);
  EXPECT_EQ(trace[2].line, 0u);
  EXPECT_EQ(describe_own_place(trace), "poke at zoo.c:42");
  EXPECT_EQ(describe_own_place({}), "");
  EXPECT_EQ(describe_own_place({{"only", "", 0}}), "only");
}

class Crash : public PluginTest {
 protected:
  Crash() {
    options_.plugins.supervision.restart_pause = 0ms;
    options_.plugins.supervision.quarantine_crashes = 0;
    options_.plugins.supervision.poison_crashes = 0;
    options_.place_within = 10s;  // a busy machine takes its time
    install("faults");
  }
  std::string failure(const std::string& tool, const std::string& arguments = "{}") {
    const Answer answer = call(tool, arguments);
    return answer ? "an answer: " + answer->content : answer.error().message;
  }
  bool well() { return text("well") == "well"; }
};

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(Crash, TellsSignalReasonFunctionLineToolAndLastLines) {
  start();
  const std::string why = failure("fault_segv");
  EXPECT_NE(why.find("SIGSEGV (signal 11"), std::string::npos) << why;
  EXPECT_NE(why.find("no such address"), std::string::npos) << why;
  EXPECT_NE(why.find("in poke_null at faults.c:"), std::string::npos) << why;
  EXPECT_NE(why.find("tool \"fault_segv\""), std::string::npos) << why;
  EXPECT_NE(why.find("about to poke"), std::string::npos) << why;
  EXPECT_EQ(why.find("0x"), std::string::npos) << why;
  EXPECT_EQ(why.find(folder_.string()), std::string::npos) << why;
  EXPECT_EQ(why.find(places::build().string()), std::string::npos) << why;
  EXPECT_TRUE(well());
  EXPECT_EQ(status().crashes, 1u);
  EXPECT_NE(status().last_crash.find("faults.c:"), std::string::npos);
}

TEST_F(Crash, ThatFillsTheStackIsToldToo) {
  start();
  const std::string why = failure("fault_overflow");
  EXPECT_NE(why.find("stack overflow, in recurse at faults.c:"), std::string::npos) << why;
}

TEST_F(Crash, IsPlacedInThePluginWhereALibraryOfTheSystemFell) {
  start();
  const std::string aborted = failure("fault_abort");
  EXPECT_NE(aborted.find("SIGABRT"), std::string::npos) << aborted;
  EXPECT_NE(aborted.find("in fault at faults.c:"), std::string::npos) << aborted;
  const std::string freed = failure("fault_frees");
  EXPECT_NE(freed.find("in fault at faults.c:"), std::string::npos) << freed;
  const std::string nowhere = failure("fault_nowhere");
  EXPECT_NE(nowhere.find("in fault at faults.c:"), std::string::npos) << nowhere;
}

TEST_F(Crash, OfEverySignalIsNamed) {
  start();
  const std::string divided = failure("fault_divide");
  EXPECT_NE(divided.find("SIGFPE"), std::string::npos) << divided;
  EXPECT_NE(divided.find("integer division by zero, in fault at"), std::string::npos) << divided;
  const std::string illegal = failure("fault_illegal");
  EXPECT_NE(illegal.find("SIGILL"), std::string::npos) << illegal;
  const std::string beside = failure("fault_thread");
  EXPECT_NE(beside.find("in poke_null at faults.c:"), std::string::npos) << beside;
}

TEST_F(Crash, AnExitIsPlacedTooAndAQuickOneByItsStatus) {
  start();
  const std::string left = failure("fault_exit");
  EXPECT_NE(left.find("exited with status 3: the plugin called exit(), in fault at faults.c:"),
            std::string::npos)
      << left;
  const std::string quick = failure("fault_quick_exit");
  EXPECT_NE(quick.find("exited with status 4"), std::string::npos) << quick;
}

TEST_F(Crash, OfABuildAtItsLoadIsPlaced) {
  install("faults_at_load");
  start();
  EXPECT_FALSE(status().serving);
  EXPECT_NE(status().last_error.find("in poke_null at faults.c:"), std::string::npos)
      << status().last_error;
}
#endif

TEST_F(Crash, OfAWorkerIsNotToldByTheExitOfItsChild) {
  settings().exec = true;
  start();
  const std::string killed = failure("fault_child_exit");
  EXPECT_NE(killed.find("SIGKILL"), std::string::npos) << killed;
  EXPECT_EQ(killed.find("called exit()"), std::string::npos) << killed;
}

TEST_F(Crash, IsNotWhatALongMediaTypeOfATextEndsIn) {
  start();
  EXPECT_EQ(text("long_mime"), "text");
  EXPECT_EQ(status().crashes, 0u);
}

TEST_F(Crash, OfOneCallRunsReadersAgainAndTellsWritersThatTheyAreLost) {
  start();
  const Running reader = begin("reader");
  const Running writer = begin("writer");
  run_for(30ms);
  EXPECT_NE(failure("fault_segv").find("tool \"fault_segv\""), std::string::npos);
  const Answer lost = finish(writer);
  ASSERT_FALSE(lost);
  EXPECT_NE(lost.error().message.find("may or may not have had effect"), std::string::npos)
      << lost.error().message;
  EXPECT_EQ(writer.invocation->outcome, "lost");
  const Answer again = finish(reader);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(status().restarts, 1u);
}

TEST_F(Crash, AReaderIsRunOnceMoreAndNoMore) {
  start();
  const Running reader = begin("reader");
  run_for(30ms);
  EXPECT_FALSE(call("fault_segv"));
  run_until([&] { return status().pid != 0 && status().restarts == 1; });
  run_for(30ms);
  EXPECT_FALSE(call("fault_segv"));
  const Answer lost = finish(reader);
  ASSERT_FALSE(lost);
  EXPECT_NE(lost.error().message.find("was lost"), std::string::npos) << lost.error().message;
}

TEST_F(Crash, OfABuildAtItsEndHarmsNobody) {
  install("faults_in_destroy");
  start();
  EXPECT_TRUE(well());
  install("faults_at_unload");
  EXPECT_TRUE(run_until([&] { return status().version == "faults_at_unload"; }));
  EXPECT_TRUE(well());
  install("faults");
  EXPECT_TRUE(run_until([&] { return status().version == "faults"; }));
  EXPECT_TRUE(well());
  EXPECT_EQ(status().crashes, 0u);
}

TEST_F(Crash, OfABuildAtItsEndIsLogged) {
  install("faults_in_destroy");
  start();
  EXPECT_TRUE(well());
  ::testing::internal::CaptureStderr();
  stop();
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("the plugin failed while its worker was ending"), std::string::npos) << said;
  EXPECT_NE(said.find("SIGSEGV"), std::string::npos) << said;
}

TEST_F(Crash, ABuildThatHangsAtItsEndIsKilledInTime) {
  options_.plugins.drain_timeout = 1h;  // which its calls have, and it has not
  options_.plugins.end_timeout = 200ms;
  install("faults_hang_in_destroy");
  start();
  EXPECT_TRUE(well());
  ::testing::internal::CaptureStderr();
  stop();
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("plugins.end_timeout_s"), std::string::npos) << said;
}

// ---- quarantine

class Quarantine : public Crash {
 protected:
  Quarantine() {
    options_.plugins.supervision.quarantine_crashes = 3;
    options_.plugins.supervision.rollback_window = 0ms;
  }
  void crash_three_times() {
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(call("fault_segv"));
  }
};

TEST_F(Quarantine, EndsACrashLoopAndSaysWhatLiftsIt) {
  start();
  crash_three_times();
  EXPECT_EQ(status().state, State::Quarantined);
  EXPECT_EQ(status().pid, 0);
  const std::string why = failure("well");
  EXPECT_NE(why.find("quarantined"), std::string::npos) << why;
  EXPECT_NE(why.find("another build"), std::string::npos) << why;
  EXPECT_EQ(status().restarts, 2u);
}

TEST_F(Quarantine, IsLiftedByAnotherBuildAndNotByTheSameFileCopiedBack) {
  start();
  crash_three_times();
  fs::remove(installed());
  EXPECT_TRUE(run_until([&] { return !status().serving; }));
  install("faults");
  EXPECT_TRUE(run_until([&] { return status().serving; }));
  EXPECT_EQ(status().state, State::Quarantined);
  EXPECT_NE(failure("well").find("quarantined"), std::string::npos);
  install("faults_again");
  EXPECT_TRUE(run_until([&] { return status().version == "faults_again"; }));
  EXPECT_TRUE(well());
  EXPECT_EQ(status().state, State::Active);
}

TEST_F(Quarantine, RefusesTheBuildWhileAnotherServes) {
  start();
  crash_three_times();
  EXPECT_FALSE(status().answers());
  install("faults_again");
  EXPECT_TRUE(run_until([&] { return status().version == "faults_again"; }));
  install("faults");
  EXPECT_TRUE(run_until([&] { return status().state == State::Rejected; }));
  EXPECT_NE(status().last_error.find("quarantined"), std::string::npos) << status().last_error;
  EXPECT_EQ(status().version, "faults_again");
  EXPECT_TRUE(status().answers());
  EXPECT_TRUE(well());
}

TEST_F(Quarantine, IsNoBuildToRollBackTo) {
  options_.plugins.supervision.rollback_window = 1h;
  start();
  crash_three_times();
  install("faults_again");
  EXPECT_TRUE(run_until([&] { return status().version == "faults_again"; }));
  EXPECT_FALSE(call("fault_segv"));
  EXPECT_TRUE(well());
  EXPECT_EQ(status().version, "faults_again");
}

TEST_F(Quarantine, IsNotEarnedByCallsThatTheHostKilled) {
  options_.call.grace = 1ms;
  start();
  for (int i = 0; i < 4; ++i) {
    const Running hung = begin("fault_hang");
    run_until([&] { return status().pid != 0; });
    run_for(10ms);
    hung.provider->cancel(hung.invocation);
    EXPECT_FALSE(finish(hung));
  }
  EXPECT_TRUE(well());
  EXPECT_EQ(status().crashes, 0u);
}

TEST_F(Quarantine, IsNotEarnedWhereTheHostCannotStartAWorker) {
  const fs::path worker = folder_ / "toolpost-worker";
  fs::copy_file(options_.worker, worker);
  options_.worker = worker;
  start();
  EXPECT_TRUE(well());
  fs::rename(worker, folder_ / "away");
  ::kill(status().pid, SIGKILL);
  ASSERT_TRUE(run_until([&] { return status().pid == 0; }));
  const SteadyTime began = steady_now();
  for (int i = 0; i < 4; ++i) {
    const Answer answer = call("well");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, ErrorKind::Unavailable);
    EXPECT_NE(answer.error().message.find("cannot be started again"), std::string::npos)
        << answer.error().message;
  }
  EXPECT_GE(steady_now() - began, 700ms);  // pauses of 100, 200 and 400 ms: it is not tried at once
  EXPECT_EQ(status().crashes, 1u);
  EXPECT_EQ(status().state, State::Active);
  fs::rename(folder_ / "away", worker);
  EXPECT_TRUE(well());
}

TEST_F(Crash, TwiceByTheSameArgumentsRefusesThemAndNoOthers) {
  options_.plugins.supervision.poison_crashes = 2;
  start();
  EXPECT_FALSE(call("fault_segv", R"({"a":1})"));
  EXPECT_FALSE(call("fault_segv", R"({"a":1})"));
  const Running refused = begin("fault_segv", R"({"a":1})");
  const Answer answer = finish(refused);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("just these arguments"), std::string::npos);
  EXPECT_EQ(refused.invocation->outcome, "refused_input");
  EXPECT_EQ(status().crashes, 2u);
  EXPECT_NE(failure("fault_segv", R"({"a":2})").find("SIGSEGV"), std::string::npos);
  EXPECT_TRUE(well());
}

// ---- rollback

class Rollback : public Crash {
 protected:
  Rollback() { install("one"); }
  void replace() {
    start();
    EXPECT_EQ(text("version"), "one");
    install("faults");
    ASSERT_TRUE(run_until([&] { return status().version == "faults"; }));
  }
};

TEST_F(Rollback, BringsTheBuildBeforeBackAndDoesNotTryTheBadOneAgain) {
  replace();
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_FALSE(call("fault_segv"));
  ASSERT_TRUE(run_until([&] { return text("version") == "one"; }));
  EXPECT_LE(std::chrono::steady_clock::now() - begun, 1s);
  EXPECT_EQ(status().generation, 1u);
  EXPECT_EQ(status().state, State::Rejected);
  EXPECT_NE(status().last_error.find("rolled back"), std::string::npos);
  EXPECT_NE(status().last_error.find("SIGSEGV"), std::string::npos);
  fs::last_write_time(installed(), fs::file_time_type::clock::now());
  run_for(300ms);
  EXPECT_EQ(text("version"), "one");
  EXPECT_NE(status().last_error.find("rolled back"), std::string::npos);
  install("faults_again");
  EXPECT_TRUE(run_until([&] { return status().version == "faults_again"; }));
  EXPECT_EQ(status().last_error, "");
}

TEST_F(Rollback, LosesNoCallThatIsHarmlessTwice) {
  replace();
  const Running reader = begin("reader");
  run_for(20ms);
  EXPECT_FALSE(call("fault_segv"));
  ASSERT_TRUE(run_until([&] { return text("version") == "one"; }));
  EXPECT_TRUE(finish(reader));
}

TEST_F(Rollback, IsNotUndoneWhereTheBuildBeforeIsReleasedFromQuarantine) {
  options_.plugins.supervision.quarantine_crashes = 1;
  replace();
  EXPECT_FALSE(call("fault_segv"));
  ASSERT_TRUE(run_until([&] { return text("version") == "one"; }));
  EXPECT_FALSE(call("crash"));
  ASSERT_EQ(status().state, State::Quarantined);
  auto release = [&]() -> boost::asio::awaitable<void> {
    const auto released = co_await host_->release("zoo");
    EXPECT_TRUE(released) << released.error().message;
  };
  await(release());
  EXPECT_EQ(text("version"), "one");
  EXPECT_EQ(status().version, "one");
  EXPECT_NE(status().last_error.find("rolled back"), std::string::npos) << status().last_error;
}

TEST_F(Rollback, IsOverWithItsWindow) {
  options_.plugins.supervision.rollback_window = 100ms;
  replace();
  run_for(200ms);
  EXPECT_FALSE(call("fault_segv"));
  run_for(200ms);
  EXPECT_TRUE(well());
  EXPECT_EQ(status().version, "faults");
}

}  // namespace
}  // namespace host::plugin
