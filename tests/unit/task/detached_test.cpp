#include "task/detached.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "json/json.h"
#include "store/store.h"
#include "support/manual_clock.h"
#include "support/run_loop.h"
#include "task/handovers.h"
#include "task/task_view.h"
#include "tool/call/recorder.h"
#include "unit/task/fake_claims.h"

namespace host::task {
namespace {

namespace fs = std::filesystem;
using boost::asio::awaitable;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tool::CallResult;
using tool::Record;
using tool::RecordState;

class DetachedTest : public ::testing::Test {
 protected:
  DetachedTest() {
    std::string name = (fs::temp_directory_path() / "detached-test-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    desk = std::make_shared<store::Desk>(loop.io.get_executor(), [this] {
      return store::open_sqlite_store(folder / "toolpost.db", clock);
    });
    EXPECT_TRUE(records.keep_in(desk, "o"));
    tool::Declaration declaration;
    declaration.name = "ship";
    declaration.description = "Ships it";
    declaration.input_schema = R"({"type":"object"})";
    declaration.external = true;
    tool = tool::Tool::make(std::move(declaration), 0).value();
    handovers.finish_by([this](const RecordPtr& record) { detached->finish(record); });
    start(false);
  }
  ~DetachedTest() override {
    detached->stop();
    loop.turn();
    detached.reset();
    desk->stop();
    desk.reset();
    loop.drain();
    fs::remove_all(folder);
  }

  void start(bool has_interceptors, milliseconds look_every = milliseconds(3'600'000)) {
    Detached::Settings settings;
    settings.running = 2;
    settings.look_every = look_every;
    detached = std::make_unique<Detached>(
        Detached::Parts{loop.io.get_executor(), clock, records, leases, room,
                        [this](tool::Call& call) { return run(call); },
                        [this](const Record&) { return tool; }, nullptr, nullptr, has_interceptors,
                        nullptr, [this](const std::string& id) { return id == task_with_call; },
                        [this](const std::string&) { return has_session; }},
        settings);
  }
  // Until the condition holds: the store answers from a thread of its own.
  void until(const std::function<bool()>& holds) {
    for (int i = 0; i < 200'000 && !holds(); ++i) {
      loop.io.restart();
      loop.io.run_one_for(milliseconds(10));
    }
    ASSERT_TRUE(holds());
  }
  std::string create(const std::string& tool_name = "count", const std::string& key = "",
                     const std::string& key_tool = "count") {
    Detached::New made;
    made.who = {"ann", "", "s1"};
    made.tool = tool_name;
    made.key_tool = key_tool;
    made.arguments = "{}";
    made.idempotency_key = key;
    made.by = "rest:ann";
    const auto record = loop.start(detached->create(std::move(made)));
    until([&] { return record->has_value(); });
    EXPECT_TRUE(**record);
    return **record ? (**record).value()->id : std::string();
  }
  RecordPtr find(const std::string& id) { return records.find(id); }
  awaitable<Result<std::optional<Record>>> stored(std::string id) {
    store::Desk::Act<std::optional<Record>> act = [id](store::Store& store) {
      return store.records().find(id);
    };
    auto found = co_await desk->ask<std::optional<Record>>(std::move(act));
    co_return found;
  }
  void until_over(const std::string& id) {
    until([&] { return !find(id) || find(id)->is_over(); });
  }
  // As another process with the same store.
  void execute(const char* sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((folder / "toolpost.db").c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }
  // A record as an earlier host left it.
  Record earlier(const std::string& id, const std::string& tool_name = "count") {
    Record record;
    record.id = id;
    record.principal = "ann";
    record.session = "s1";
    record.tool = tool_name;
    record.arguments = "{}";
    record.definition = tool->digest();
    record.made_by = tool::MadeBy::Detached;
    return record;
  }
  Record answered(const std::string& id, bool checked) {
    Record record = earlier(id, "ship");
    record.executes = tool::Executes::Caller;
    record.state = RecordState::Processing;
    record.response = {R"({"content":[{"type":"text","text":"raw"}],"isError":false})", "",
                       "rest:bob", checked};
    return record;
  }

  test::RunLoop loop;
  test::ManualClock clock;
  fs::path folder;
  std::shared_ptr<store::Desk> desk;
  Records records{loop.io.get_executor(), clock};
  Room room{records, {100, 100, 1u << 20u}};
  std::shared_ptr<const tool::Tool> tool;
  Leases leases{clock, records, room, {}, [this](const Record&) { return tool; }};
  Handovers handovers{loop.io.get_executor(), records, leases, room, milliseconds(0)};
  std::function<awaitable<Result<CallResult>>(tool::Call&)> run =
      [](tool::Call&) -> awaitable<Result<CallResult>> { co_return CallResult::text("done"); };
  std::unique_ptr<Detached> detached;
  std::string task_with_call;
  bool has_session = true;
};

TEST_F(DetachedTest, ACallIsStoredThenRunsThenEnds) {
  std::vector<std::string> seen;
  run = [&](tool::Call& call) -> awaitable<Result<CallResult>> {
    seen.push_back(call.name);
    const auto began = co_await call.recorder->begins(call);
    EXPECT_TRUE(began);
    EXPECT_EQ(find(call.passport->call)->state, RecordState::Processing);
    co_return CallResult::text("done");
  };
  const std::string id = create();
  until_over(id);
  EXPECT_EQ(find(id)->state, RecordState::Complete);
  EXPECT_THAT(find(id)->result, HasSubstr("done"));
  EXPECT_THAT(seen, ElementsAre("count"));
}

// After a kill, the other hosts and the next calls look for the key of the tool that ran.
TEST_F(DetachedTest, ACallOfAnotherToolIsStoredWithTheKeyOfThisTool) {
  run = [&](tool::Call& call) -> awaitable<Result<CallResult>> {
    EXPECT_EQ(idempotency_key_of(*find(call.passport->call)),
              (store::IdempotencyKey{"ann", "greet", "k"}));
    call.name = "greet";
    const auto began = co_await call.recorder->begins(call);
    EXPECT_TRUE(began);
    auto kept = co_await stored(call.passport->call);
    EXPECT_EQ(idempotency_key_of(*kept.value()), (store::IdempotencyKey{"ann", "greet", "k"}));
    EXPECT_EQ(kept.value()->tool, "call_tool") << "as its client called it";
    co_return CallResult::text("done");
  };
  const std::string id = create("call_tool", "k", "greet");
  until_over(id);
  EXPECT_EQ(find(id)->state, RecordState::Complete);
  EXPECT_NE(detached->earlier("ann", "greet", "k"), nullptr);
  EXPECT_EQ(detached->earlier("ann", "call_tool", "k"), nullptr);
}

TEST_F(DetachedTest, ACallThatNothingHoldsUpIsStoredTwice) {
  run = [&](tool::Call& call) -> awaitable<Result<CallResult>> {
    const auto began = co_await call.recorder->begins(call);
    EXPECT_TRUE(began);
    const auto record = co_await stored(call.passport->call);
    EXPECT_TRUE(record && *record && (*record)->state == RecordState::Processing);
    co_return CallResult::text("done");
  };
  std::vector<std::uint64_t> versions;  // that the store had
  records.on_change([&](const RecordPtr& record) { versions.push_back(record->version); });
  until_over(create());
  until([&] { return versions.size() >= 2; });
  EXPECT_THAT(versions, ElementsAre(2u, 3u));  // accepted and begun in one commit, then ended
}

TEST_F(DetachedTest, ACallIsAcceptedBeforeAnybodyNoticesIt) {
  std::optional<bool> in_store;
  run = [&](tool::Call& call) -> awaitable<Result<CallResult>> {
    const auto accepted = co_await call.recorder->is_accepted();
    EXPECT_TRUE(accepted);
    const auto record = co_await stored(call.passport->call);
    in_store = record && *record;
    co_return CallResult::text("done");
  };
  until_over(create());
  EXPECT_EQ(in_store, true);
}

TEST_F(DetachedTest, CallsOfARemovedToolEndUnlessSomebodyWorksOnThem) {
  Record waits = earlier("r_waits", "ship");
  waits.executes = tool::Executes::Caller;
  waits.reason = tool::kWaitsForCaller;
  Record other = waits;
  other.id = "r_other";
  other.session = "s2";
  Record works = waits;
  works.id = "r_works";
  works.state = RecordState::Processing;
  for (const Record& record : {waits, other, works}) records.add(record, "rest:ann");
  detached->end_of_tools("s1", {"ship"});
  EXPECT_EQ(find("r_waits")->state, RecordState::Error);
  EXPECT_EQ(find("r_waits")->code, tool::kToolRemoved);
  EXPECT_THAT(find("r_waits")->result, HasSubstr("It did not run"));
  EXPECT_FALSE(find("r_other")->is_over());
  EXPECT_FALSE(find("r_works")->is_over());
}

TEST_F(DetachedTest, ACallThatDidNotBeginIsTriedAgain) {
  for (const ErrorKind kind : {ErrorKind::Io, ErrorKind::Unavailable}) {
    int tries = 0;
    run = [&](tool::Call&) -> awaitable<Result<CallResult>> {
      if (++tries == 1) co_return Error{kind, "the disk is full"};
      co_return CallResult::text("done");
    };
    const std::string id = create();
    until_over(id);
    EXPECT_EQ(find(id)->state, RecordState::Complete);
    EXPECT_EQ(tries, 2);
  }
}

TEST_F(DetachedTest, ACallThatBeganIsNotTriedAgain) {
  int tries = 0;
  run = [&](tool::Call& call) -> awaitable<Result<CallResult>> {
    ++tries;
    const auto began = co_await call.recorder->begins(call);
    EXPECT_TRUE(began);
    co_return Error{ErrorKind::Io, "the disk is full"};
  };
  const std::string id = create();
  until_over(id);
  EXPECT_EQ(find(id)->code, "io");
  EXPECT_EQ(tries, 1);
}

TEST_F(DetachedTest, CallsBeyondTheLaneStartWhenOthersEnd) {
  boost::asio::steady_timer gate(loop.io, SteadyTime::max());
  int running = 0;
  int most = 0;
  run = [&](tool::Call&) -> awaitable<Result<CallResult>> {
    most = std::max(most, ++running);
    boost::system::error_code ignored;
    co_await gate.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    --running;
    co_return CallResult::text("done");
  };
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(create());
  EXPECT_EQ(running, 2);
  gate.expires_at(SteadyTime::min());
  for (const std::string& id : ids) until_over(id);
  EXPECT_EQ(most, 2);
}

TEST_F(DetachedTest, OnlyAKeyOfACallThatRanFindsIt) {
  const std::string id = create("count", "k1");
  until_over(id);
  EXPECT_EQ(detached->earlier("ann", "count", "k1")->id, id);
  EXPECT_FALSE(detached->earlier("ann", "count", "k2"));
  EXPECT_FALSE(detached->earlier("ann", "other", "k1"));
  run = [](tool::Call& call) -> awaitable<Result<CallResult>> {
    call.outcome = "denied";
    co_return CallResult::error("no");
  };
  const std::string denied = create("count", "k3");
  until_over(denied);
  EXPECT_EQ(find(denied)->code, tool::kDenied);
  EXPECT_FALSE(detached->earlier("ann", "count", "k3")) << "a denied call can be made again";
  run = [](tool::Call&) -> awaitable<Result<CallResult>> { co_return CallResult::error("odd"); };
  const std::string failed = create("count", "k4");
  until_over(failed);
  EXPECT_EQ(detached->earlier("ann", "count", "k4")->code, tool::kToolError);
}

TEST_F(DetachedTest, AKeyFindsTheCallOfAnUpstreamThatMayHaveActed) {
  bool may_have_acted = true;
  run = [&](tool::Call& call) -> awaitable<Result<CallResult>> {
    call.outcome = tool::kUpstreamFailed;
    call.may_have_acted = may_have_acted;
    co_return CallResult::error("the upstream died");
  };
  const std::string acted = create("count", "k1");
  until_over(acted);
  EXPECT_EQ(find(acted)->code, tool::kUpstreamFailed);
  ASSERT_NE(detached->earlier("ann", "count", "k1"), nullptr);
  EXPECT_EQ(detached->earlier("ann", "count", "k1")->id, acted);
  may_have_acted = false;
  const std::string refused = create("count", "k2");
  until_over(refused);
  EXPECT_EQ(find(refused)->code, tool::kUpstreamFailed);
  EXPECT_EQ(detached->earlier("ann", "count", "k2"), nullptr) << "the upstream never got it";
}

// The stored error of a call over MCP with the key, for example.
TEST_F(DetachedTest, AKeyFindsTheCallThatGotAStoredError) {
  run = [](tool::Call& call) -> awaitable<Result<CallResult>> {
    call.outcome = "replayed";
    co_return CallResult::error("no luck");
  };
  const std::string replayed = create("count", "k1");
  until_over(replayed);
  EXPECT_EQ(find(replayed)->code, "replayed");
  ASSERT_NE(detached->earlier("ann", "count", "k1"), nullptr);
  EXPECT_EQ(detached->earlier("ann", "count", "k1")->id, replayed);
}

TEST_F(DetachedTest, ARestartRunsWhatHadNotBegunInItsOrder) {
  std::vector<std::string> ran;
  run = [&](tool::Call& call) -> awaitable<Result<CallResult>> {
    ran.push_back(call.passport->call);
    co_return CallResult::text("done");
  };
  for (const std::string id : {"c", "b", "d", "a"}) {
    clock.advance(seconds(1));
    records.add(earlier(id), "rest:ann");
  }
  Record began = earlier("e");
  began.state = RecordState::Processing;
  began.tool = "dig";
  began.idempotency_key = "k";
  began.key_tool = "dig";
  records.add(began, "rest:ann");
  FakeClaims claims;
  detached->keep_keys_by(claims);
  detached->take_over(nullptr);
  for (const std::string id : {"a", "b", "c", "d", "e"}) until_over(id);
  EXPECT_THAT(ran, ElementsAre("c", "b", "d", "a"));
  EXPECT_EQ(find("e")->code, tool::kInterrupted);
  EXPECT_THAT(claims.told, ElementsAre("interrupted dig/k")) << "the record may go before its key";
}

TEST_F(DetachedTest, ARestartGivesACallItsContext) {
  std::vector<std::string> tenants;
  run = [&](tool::Call& call) -> awaitable<Result<CallResult>> {
    tenants.push_back(call.passport->given->values.at("tenant"));
    EXPECT_EQ(call.passport->sent, call.passport->given);
    co_return CallResult::text("done");
  };
  Record waiting = earlier("r1");
  waiting.context = R"({"values":{"tenant":"7"}})";
  records.add(waiting, "rest:ann");
  detached->take_over(nullptr);
  until_over("r1");
  EXPECT_THAT(tenants, ElementsAre("7"));
  EXPECT_EQ(find("r1")->state, RecordState::Complete);
}

TEST_F(DetachedTest, ACallWhoseStoredContextCannotBeReadDoesNotRunWithoutIt) {
  bool ran = false;
  run = [&](tool::Call&) -> awaitable<Result<CallResult>> {
    ran = true;
    co_return CallResult::text("done");
  };
  Record broken = earlier("r1");
  broken.context = "{";
  records.add(broken, "rest:ann");
  detached->take_over(nullptr);
  until_over("r1");
  EXPECT_FALSE(ran);
  EXPECT_EQ(find("r1")->state, RecordState::Error);
}

TEST_F(DetachedTest, ARestartEndsTheCallsOfWhoMayNotCallAnyMore) {
  records.add(earlier("mine"), "rest:ann");
  Record other = earlier("other");
  other.principal = "bob";
  records.add(other, "rest:bob");
  detached->take_over([](const std::string& who, const std::string&) { return who == "bob"; });
  until_over("mine");
  EXPECT_EQ(find("mine")->state, RecordState::Complete);
  EXPECT_EQ(find("other")->code, "ended_by_credential");
}

TEST_F(DetachedTest, ARestartEndsTheApprovedCallsOfWhoMayNotCallAnyMore) {
  Record approved = earlier("r1", "ship");
  approved.executes = tool::Executes::Caller;
  records.add(approved, "rest:ann");
  detached->take_over([](const std::string&, const std::string&) { return true; });
  EXPECT_EQ(find("r1")->code, "ended_by_credential");
}

// Its client has gone, so no call of the host waits for it that could end.
TEST_F(DetachedTest, AnAnnouncedCallThatNobodyWaitsForEndsWithItsCredentials) {
  const auto everybody = [](const std::string&, const std::string&) { return true; };
  for (const char* const id : {"r1", "r2"}) {
    Record announced = earlier(id, "ship");
    announced.made_by = tool::MadeBy::WaitingCall;
    announced.executes = tool::Executes::Caller;
    announced.reason = tool::kWaitsForCaller;
    records.add(announced, "mcp:ann");
    if (find("r2")) {
      detached->take_over(everybody);
    } else {
      detached->end_of(everybody);
    }
    EXPECT_EQ(find(id)->code, "ended_by_credential");
  }
}

// Its call ended with an earlier host, and its client has not answered since.
TEST_F(DetachedTest, ATaskThatWaitsWithoutACallEndsWithItsSessionAndItsCredentials) {
  const auto everybody = [](const std::string&, const std::string&) { return true; };
  const auto wait = [&](const std::string& id) {
    Record waiting = earlier(id);
    waiting.made_by = tool::MadeBy::TaskClient;
    waiting.reason = tool::kWaitsForAnswer;
    waiting.expires = clock.wall() + seconds(60);
    waiting.asked = 1;
    waiting.questions.push_back({"1:a", "elicitation/create", "{}"});
    records.add(waiting, "mcp:ann");
    return id;
  };
  task_with_call = wait("t0");
  wait("t1");
  detached->take_over(nullptr);
  EXPECT_FALSE(find("t1")->is_over());
  detached->take_over(everybody);
  EXPECT_EQ(find("t1")->code, "ended_by_credential");
  wait("t2");
  detached->end_of(everybody);
  EXPECT_EQ(find("t2")->code, "ended_by_credential");
  EXPECT_THAT(find("t2")->result, HasSubstr("The key, login or token"));
  EXPECT_FALSE(find("t0")->is_over()) << "its call ends it";
  wait("t3");
  detached->end_session("s1");
  for (const char* const id : {"t0", "t3"}) {
    EXPECT_EQ(find(id)->code, tool::kSessionEnded);
    EXPECT_THAT(find(id)->result, HasSubstr("The session of this call of"));
    const tool::Task task = task_of(*find(id), {}, {});
    EXPECT_EQ(task.status, tool::Task::Status::Completed);
    EXPECT_THAT(task.outcome, HasSubstr(R"({"resultType":"complete","content":[)"));
  }
  wait("t4");
  const RecordPtr left = find("t4");
  EXPECT_EQ(detached->tasks_without_call(), std::vector<RecordPtr>{left});
  detached->end_by_operator(left, "rest:boss");
  EXPECT_EQ(find("t4")->code, "ended_by_operator");
  EXPECT_THAT(find("t4")->result, HasSubstr("An operator ended this call of"));
  EXPECT_TRUE(detached->tasks_without_call().empty());
  wait("t5");
  has_session = false;
  detached->take_over(nullptr);
  EXPECT_EQ(find("t5")->code, tool::kSessionEnded);
}

TEST_F(DetachedTest, WhatACallerAnsweredPassesTheRestOfThePipeline) {
  run = [](tool::Call& call) -> awaitable<Result<CallResult>> {
    EXPECT_TRUE(call.recorder->was_executed());
    call.ran = true;
    co_return CallResult::text("filtered");
  };
  records.add(answered("r1", false), "rest:ann");
  detached->take_over(nullptr);
  until_over("r1");
  EXPECT_EQ(find("r1")->state, RecordState::Complete);
  EXPECT_THAT(find("r1")->result, HasSubstr("filtered"));
}

TEST_F(DetachedTest, AResponseWhileNoCallWaitsIsFinishedToo) {
  run = [](tool::Call& call) -> awaitable<Result<CallResult>> {
    call.ran = true;
    co_return CallResult::error("filtered");
  };
  Record record = earlier("r1", "ship");
  record.executes = tool::Executes::Caller;
  record.reason = tool::kWaitsForCaller;
  records.add(record, "mcp:ann");
  const auto response = json::parse(R"({"state":"FAILED"})");
  leases.respond(find("r1"), {"key:1", "", {}, "rest:bob"}, response->root());
  until_over("r1");
  EXPECT_EQ(find("r1")->code, tool::kFailed);
  EXPECT_THAT(find("r1")->result, HasSubstr("filtered"));
}

TEST_F(DetachedTest, PostToolsDoNotRunTwice) {
  run = [](tool::Call&) -> awaitable<Result<CallResult>> {
    ADD_FAILURE() << "it has passed already";
    co_return CallResult::text("");
  };
  records.add(answered("r1", true), "rest:ann");
  detached->take_over(nullptr);
  until_over("r1");
  EXPECT_EQ(find("r1")->state, RecordState::Complete);
  EXPECT_THAT(find("r1")->result, HasSubstr("raw"));
  EXPECT_THAT(find("r1")->result, HasSubstr("io.toolpost/post"));
}

TEST_F(DetachedTest, AResultThatNobodyCanCheckIsWithheldIfSomebodyHasTo) {
  for (const bool has_interceptors : {false, true}) {
    start(has_interceptors);
    Record record = answered(has_interceptors ? "with" : "without", false);
    record.definition = "of a tool that is gone";
    records.add(record, "rest:ann");
    detached->take_over(nullptr);
    until_over(record.id);
  }
  EXPECT_EQ(find("without")->state, RecordState::Complete);
  EXPECT_THAT(find("without")->result, HasSubstr("raw"));
  EXPECT_EQ(find("with")->code, "result_withheld");
  EXPECT_THAT(find("with")->result, ::testing::Not(HasSubstr("raw")));
}

TEST_F(DetachedTest, AWaitDoesNotOutliveItsRecord) {
  int stored = 0;
  records.on_transition([&](const tool::Transition&) { ++stored; });
  records.add(answered("r1", false), "rest:ann");
  until([&] { return stored == 1; });
  bool waits = true;
  const auto wait = [&]() -> awaitable<bool> {
    co_await detached->wait_for_check("r1");
    waits = false;
    co_return true;
  };
  loop.start(wait());
  loop.turn();
  EXPECT_TRUE(waits);
  execute("DELETE FROM call_record");
  Record next = *find("r1");
  next.response.by = "rest:cid";
  ASSERT_TRUE(records.change(next, "host"));  // so that this host notices
  until([&] { return !waits; });
  EXPECT_FALSE(find("r1"));
}

TEST_F(DetachedTest, AWriteThatFailedIsRepeatedAlsoIfNothingElseHappens) {
  std::vector<RecordState> told;
  records.on_transition([&](const tool::Transition& one) { told.push_back(one.to); });
  start(false, milliseconds(1));
  execute(
      "CREATE TRIGGER full BEFORE INSERT ON call_record "
      "BEGIN SELECT RAISE(ABORT, 'full'); END");
  Record record = earlier("r1", "ship");
  record.made_by = tool::MadeBy::WaitingCall;
  record.executes = tool::Executes::Caller;
  record.reason = tool::kWaitsForCaller;
  records.add(record, "mcp:ann");
  until([&] { return records.has_failed(); });
  execute("DROP TRIGGER full");
  clock.advance(seconds(10));
  until([&] { return !told.empty(); });
  clock.advance(seconds(300));
  until([&] { return told.back() == RecordState::Error; });
  EXPECT_EQ(find("r1")->code, tool::kNotPickedUp);
}

TEST_F(DetachedTest, AnApprovedCallIsAnnouncedByTheNextHost) {
  Record record = earlier("r1", "ship");
  record.executes = tool::Executes::Caller;
  records.add(record, "rest:ann");
  detached->take_over(nullptr);
  EXPECT_EQ(find("r1")->reason, tool::kWaitsForCaller);
}

}  // namespace
}  // namespace host::task
