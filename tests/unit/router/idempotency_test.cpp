// Calls with the same idempotency key that meet, above all where the first of them is a task.
#include "router/step/idempotency.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <string>

#include "store/sqlite/columns.h"
#include "store/store.h"
#include "support/passports.h"
#include "support/run_loop.h"
#include "support/run_until.h"
#include "tool/call/record.h"

namespace host::router {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class IdempotencyTest : public ::testing::Test {
 protected:
  struct Made {
    tool::Call call;
    Idempotency::Asked asked;
    Idempotency::Claim claim;
    std::shared_ptr<std::optional<Result<std::optional<tool::CallResult>>>> met;

    bool has_claim() const { return *met && **met && !***met; }
    const tool::CallResult& result() const { return ****met; }
  };
  using MadePtr = std::shared_ptr<Made>;

  IdempotencyTest() {
    std::string name = (fs::temp_directory_path() / "idempotency-step-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    desk_ = std::make_shared<store::Desk>(loop_.io.get_executor(), [this] {
      return store::open_sqlite_store(folder_ / "toolpost.db", system_clock());
    });
  }
  ~IdempotencyTest() override {
    keys_.reset();
    desk_->stop();
    loop_.drain();
    desk_.reset();
    fs::remove_all(folder_);
  }

  // As the pipeline does.
  static boost::asio::awaitable<Result<std::optional<tool::CallResult>>> meet(Idempotency& keys,
                                                                              Made& made) {
    if (keys.claims_at_once(made.call, made.asked, made.claim)) co_return std::nullopt;
    auto met = co_await keys.meet(made.call, made.asked, made.claim);
    co_return met;
  }
  // `follows`: its client uses tasks.
  MadePtr call(const std::string& id, bool follows, const std::string& arguments = "{}",
               const std::string& key = "k") {
    auto made = std::make_shared<Made>();
    made->call.passport = test::passport(id, "anna");
    made->call.name = "dig";
    made->call.idempotency_key = key;
    made->call.arguments = *json::parse(arguments);
    if (follows) made->call.on_cleared = [] { return Result<void>(); };
    made->asked = Idempotency::ask(made->call, "dig");
    made->met = loop_.start(meet(*keys_, *made));
    loop_.turn();
    return made;
  }
  MadePtr first(const std::string& id, bool follows = true) {
    MadePtr made = call(id, follows);
    EXPECT_TRUE(until_met(made));
    EXPECT_TRUE(made->has_claim());
    return made;
  }
  bool until_met(const MadePtr& made) {
    return test::run_until(loop_.io, [&] { return made->met->has_value(); });
  }
  void give_up(const MadePtr& made) { made->claim = Idempotency::Claim(); }
  // Ends the call as the pipeline does.
  void end(const MadePtr& made, tool::CallResult result) {
    const auto kept = loop_.start(keep(*keys_, made->call, std::move(result), made->claim));
    EXPECT_TRUE(test::run_until(loop_.io, [&] { return kept->has_value(); }));
    give_up(made);
  }
  static boost::asio::awaitable<bool> keep(Idempotency& keys, const tool::Call& call,
                                           tool::CallResult result, Idempotency::Claim& claim) {
    co_await keys.keep(call, result, claim);
    co_return true;
  }
  // A task that has asked its client.
  void store_task(const std::string& id, const std::string& claim) {
    tool::Record record;
    record.id = id;
    record.principal = key_.principal;
    record.tool = key_.tool;
    record.key_tool = key_.tool;
    record.idempotency_key = key_.key;
    record.claim = claim;
    record.asked = 1;
    record.version = 1;
    desk_->tell([record](store::Store& store) {
      const auto shared = std::make_shared<const tool::Record>(record);
      EXPECT_TRUE(store.records().write({{shared, 0, {}}}, "host"));
    });
  }
  // The store's thread has done all it was told. The event loop does not run meanwhile.
  void wait_for_desk() {
    std::promise<void> done;
    desk_->tell([&done](store::Store&) { done.set_value(); });
    done.get_future().wait();
  }

  test::RunLoop loop_;
  fs::path folder_;
  std::shared_ptr<store::Desk> desk_;
  std::unique_ptr<Idempotency> keys_;
  const store::IdempotencyKey key_{"anna", "dig", "k"};

  void limit_waits(std::chrono::milliseconds most) {
    Idempotency::Settings settings;
    settings.longest_wait = most;
    keys_ = std::make_unique<Idempotency>(loop_.io.get_executor(), desk_, settings);
  }
  void SetUp() override { limit_waits(1h); }
};

TEST_F(IdempotencyTest, AClientWithTasksGetsTheTaskOfTheEarlierCallAtOnce) {
  const MadePtr dig = first("c1");
  const MadePtr waits = call("c2", true);
  EXPECT_FALSE(*waits->met) << "the call is no task yet";
  EXPECT_EQ(keys_->became_task("anna", "c1", "t1").size(), 32u);
  for (const MadePtr& later : {waits, call("c3", true)}) {
    ASSERT_TRUE(until_met(later));
    EXPECT_EQ(later->result().task, "t1");
    EXPECT_EQ(later->call.outcome, kReplayed);
  }
  const MadePtr other = call("c4", true, R"({"a":1})");
  ASSERT_TRUE(until_met(other));
  EXPECT_TRUE(other->result().is_error);
}

TEST_F(IdempotencyTest, AClientWithoutTasksGetsTheNameOfTheTaskWhenItsTimeIsOver) {
  limit_waits(1ms);
  const MadePtr dig = first("c1");
  keys_->became_task("anna", "c1", "t1");
  const MadePtr plain = call("c2", false);
  ASSERT_TRUE(until_met(plain));
  EXPECT_TRUE(plain->result().is_error);
  EXPECT_EQ(plain->call.outcome, "pending");
  EXPECT_THAT(plain->result().content, AllOf(HasSubstr("the task t1"), HasSubstr("Call again")));
}

// That host may be frozen, and never end the call.
TEST_F(IdempotencyTest, ACallThatRunsAtAnotherHostIsNotWaitedForWithoutEnd) {
  limit_waits(1ms);
  const auto other = store::open_sqlite_store(folder_ / "toolpost.db", system_clock()).value();
  const auto met = other->idempotency().meet(key_, sha256("{}"));
  ASSERT_EQ(met.value().state, store::IdempotencyMeeting::State::Claimed);
  const MadePtr twin = call("c2", false);
  ASSERT_TRUE(until_met(twin));
  EXPECT_EQ(twin->call.outcome, "pending");
  EXPECT_THAT(twin->result().content, HasSubstr("another host of this store runs it"));
}

TEST_F(IdempotencyTest, WithoutItsFileOfClaimsTheStoreIsBusy) {
  fs::create_directory(folder_ / "toolpost.db.claims");
  const MadePtr refused = call("c1", false);
  ASSERT_TRUE(until_met(refused));
  EXPECT_EQ(refused->call.outcome, "busy");
  EXPECT_THAT(refused->result().content, AllOf(HasSubstr("Nothing ran"), Not(HasSubstr("claims"))));
}

TEST_F(IdempotencyTest, ACallThatEndsWithItsRequestIsWaitedFor) {
  limit_waits(0ms);
  const MadePtr dig = first("c1", false);
  const MadePtr twin = call("c2", false);
  loop_.turn();
  EXPECT_FALSE(*twin->met);
  give_up(dig);
  ASSERT_TRUE(until_met(twin));
  EXPECT_TRUE(twin->has_claim());
}

TEST_F(IdempotencyTest, OnlyTheFailureOfACallThatMayHaveActedIsKept) {
  for (const bool may_have_acted : {false, true}) {
    const MadePtr dig = first("c1", false);
    dig->call.answered = true;
    dig->call.outcome = tool::kUpstreamFailed;
    dig->call.may_have_acted = may_have_acted;
    end(dig, tool::CallResult::error("the upstream died"));
    const MadePtr again = call("c2", false);
    ASSERT_TRUE(until_met(again));
    EXPECT_EQ(again->has_claim(), !may_have_acted);
    if (!may_have_acted) continue;
    EXPECT_EQ(again->call.outcome, kReplayed);
    EXPECT_TRUE(again->result().is_error);
    EXPECT_THAT(again->result().content, HasSubstr("the upstream died"));
  }
}

TEST_F(IdempotencyTest, WhatReplacedTheFailureOfACallThatMayHaveActedIsKept) {
  const MadePtr dig = first("c1", false);
  dig->call.answered = false;  // an interceptor gave the result
  dig->call.outcome = tool::kUpstreamFailed;
  dig->call.may_have_acted = true;
  end(dig, tool::CallResult::error("no"));
  const MadePtr again = call("c2", false);
  ASSERT_TRUE(until_met(again));
  ASSERT_FALSE(again->has_claim()) << "the tool must not run twice";
  EXPECT_EQ(again->call.outcome, kReplayed);
  EXPECT_THAT(again->result().content, HasSubstr("no"));
}

// A cancelled call ends before its tool.
TEST_F(IdempotencyTest, AToolThatStillRunsKeepsTheKeyButIsNotWaitedForWithoutEnd) {
  limit_waits(1ms);
  const MadePtr dig = first("c1", false);
  const MadePtr twin = call("c2", false);
  loop_.turn();
  EXPECT_FALSE(*twin->met);
  dig->claim.outlive_call();
  ASSERT_TRUE(until_met(twin));
  EXPECT_EQ(twin->call.outcome, "pending");
  EXPECT_THAT(twin->result().content, HasSubstr("the call c1"));
  give_up(dig);
  const MadePtr later = call("c3", false);
  ASSERT_TRUE(until_met(later));
  EXPECT_TRUE(later->has_claim());
}

TEST_F(IdempotencyTest, ATaskOfAnEarlierHostKeepsItsKeyUntilItRunsOrEnds) {
  std::string digest;
  {
    const MadePtr dig = first("c1");
    digest = keys_->became_task("anna", "c1", "t1");
  }
  loop_.turn();
  limit_waits(1ms);  // another host
  keys_->hold(key_, digest, "t1");
  const MadePtr repeated = call("c2", true);
  ASSERT_TRUE(until_met(repeated));
  EXPECT_EQ(repeated->result().task, "t1");
  const MadePtr plain = call("c3", false);
  ASSERT_TRUE(until_met(plain));
  EXPECT_THAT(plain->result().content, HasSubstr("the task t1"));

  const MadePtr own = first("t1");  // its client has answered
  const MadePtr during = call("c4", true);
  ASSERT_TRUE(until_met(during));
  EXPECT_EQ(during->result().task, "t1");
  keys_->release(key_, "t1", false);
  const MadePtr after = call("c6", false);
  ASSERT_TRUE(until_met(after));
  EXPECT_THAT(after->result().content, HasSubstr("the call t1")) << "the claim is the call's";
  give_up(own);
  EXPECT_TRUE(first("c5")->has_claim());
}

// As after tasks/cancel, while the tool still ends.
TEST_F(IdempotencyTest, ATaskThatIsOverIsNotTheAnswerToALaterCall) {
  const MadePtr dig = first("c1");
  keys_->became_task("anna", "c1", "t1");
  keys_->release(key_, "t2", false);
  const MadePtr before = call("c2", true);
  ASSERT_TRUE(until_met(before));
  EXPECT_EQ(before->result().task, "t1");
  keys_->release(key_, "t1", false);
  const MadePtr later = call("c3", true);
  EXPECT_FALSE(*later->met) << "the call has not ended";
  give_up(dig);
  ASSERT_TRUE(until_met(later));
  EXPECT_TRUE(later->has_claim());
}

// As at a stop of the host, which ends the call of the task, but not the task.
TEST_F(IdempotencyTest, ATaskThatHasAskedKeepsItsKeyWhenItsCallEnds) {
  const MadePtr other = call("c0", false, "{}", "other");  // so the principal's figures are known
  ASSERT_TRUE(until_met(other));
  const MadePtr dig = first("c1");
  const MadePtr plain = call("c2", false);
  store_task("t1", keys_->became_task("anna", "c1", "t1"));
  give_up(dig);
  wait_for_desk();
  loop_.turn();
  EXPECT_FALSE(*plain->met) << "it did not ask the store";
  bool is_asked = false;
  store::Desk::Act<bool> act = [](store::Store&) -> Result<bool> { return true; };
  desk_->ask<bool>(std::move(act), [&](const Result<bool>&) { is_asked = true; });
  ASSERT_TRUE(test::run_until(loop_.io, [&] { return is_asked; }));
  EXPECT_FALSE(*plain->met) << "the task has the key";
  plain->call.cancel->request();
  EXPECT_TRUE(until_met(plain));
}

TEST_F(IdempotencyTest, ATaskThatEndsWithoutACallReleasesItsKey) {
  keys_->hold(key_, std::string(32, 'x'), "t1");
  const MadePtr other = call("c1", true);
  ASSERT_TRUE(until_met(other));
  EXPECT_TRUE(other->result().is_error) << "its arguments are others";
  keys_->release(key_, "t2", false);
  keys_->release(key_, "t1", false);
  EXPECT_TRUE(first("c2")->has_claim());
}

TEST_F(IdempotencyTest, ATaskThatMustNotBeRepeatedKeepsItsKeyWhenItEndsWithoutACall) {
  keys_->hold(key_, std::string(32, 'x'), "t1");
  keys_->release(key_, "t1", true);
  for (const char* const id : {"c1", "c2"}) {
    const MadePtr later = call(id, true);
    ASSERT_TRUE(until_met(later));
    EXPECT_THAT(later->result().content, HasSubstr("use a new key")) << id;
  }
}

// As if a rule denies the call of the task, or the host is busy.
TEST_F(IdempotencyTest, ATaskHasItsKeyBackIfItsCallEndsWithoutAResult) {
  const std::string digest(store::bytes_of(sha256("{}")));
  keys_->hold(key_, digest, "t1");
  give_up(first("t1"));
  const MadePtr during = call("c1", true);
  ASSERT_TRUE(until_met(during));
  EXPECT_EQ(during->result().task, "t1");
  keys_->release(key_, "t1", true);
  const MadePtr later = call("c2", true);
  ASSERT_TRUE(until_met(later));
  EXPECT_THAT(later->result().content, HasSubstr("use a new key"));
}

TEST_F(IdempotencyTest, AResultThatTheCallOfATaskHasStoredStays) {
  keys_->hold(key_, std::string(store::bytes_of(sha256("{}"))), "t1");
  const MadePtr own = first("t1");
  own->call.answered = true;
  end(own, tool::CallResult::text("dug"));
  keys_->release(key_, "t1", true);
  const MadePtr later = call("c2", true);
  ASSERT_TRUE(until_met(later));
  EXPECT_THAT(later->result().content, HasSubstr("dug"));
}

TEST_F(IdempotencyTest, OfTwoCallsWithANewKeyOneClaimsItAtOnce) {
  const MadePtr known = call("c0", false, "{}", "other");  // so the principal's figures are known
  ASSERT_TRUE(until_met(known));
  Made first;
  first.call.passport = test::passport("c1", "anna");
  first.asked = Idempotency::ask(first.call, "dig");
  EXPECT_TRUE(keys_->claims_at_once(first.call, first.asked, first.claim));
  Idempotency::Claim none;
  EXPECT_FALSE(keys_->claims_at_once(first.call, first.asked, none));
}

}  // namespace
}  // namespace host::router
