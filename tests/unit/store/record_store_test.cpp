// The contract of store::RecordStore.
#include "store/part/record_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "store/store.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using tool::Record;
using tool::RecordState;
using tool::Transition;

class RecordStoreTest : public ::testing::Test {
 protected:
  RecordStoreTest() {
    std::string name = (fs::temp_directory_path() / "record-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    store_ = open();
  }
  ~RecordStoreTest() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  std::unique_ptr<Store> open() {
    return open_sqlite_store(folder_ / "toolpost.db", system_clock()).value();
  }
  static WallTime at(int seconds) { return WallTime(std::chrono::seconds(1'000'000 + seconds)); }
  static Record record(const std::string& id, const std::string& session = "s") {
    Record made;
    made.id = id;
    made.session = session;
    made.principal = "anna";
    made.tool = "dig";
    made.version = 1;
    made.created = made.updated = at(0);
    return made;
  }
  static Transition transition(const Record& record) {
    Transition made;
    made.session = record.session;
    made.record = record.id;
    made.tool = record.tool;
    made.to = record.state;
    made.by = "host";
    made.at = at(0);
    return made;
  }
  // False: the store refused it.
  bool write(const Record& record, std::uint64_t expected) {
    const auto done = store_->records().write(
        {{std::make_shared<Record>(record), expected, {transition(record)}}}, "o");
    return done.value().front().has_value();
  }
  Record stored(const std::string& id) { return store_->records().find(id).value().value(); }
  std::vector<std::string> newest(const RecordStore::Filter& filter, std::uint32_t limit = 10) {
    std::vector<std::string> ids;
    const auto found = store_->records().newest(filter, limit);
    for (const Record& one : found.value()) ids.push_back(one.id);
    return ids;
  }
  std::vector<std::uint64_t> numbers(const std::string& session, std::uint64_t after = 0) {
    std::vector<std::uint64_t> all;
    const auto found = store_->records().transitions_after(session, after, 100);
    for (const auto& one : found.value()) all.push_back(one.seq);
    return all;
  }

  fs::path folder_;
  std::unique_ptr<Store> store_;
};

TEST_F(RecordStoreTest, ARecordComesBackAsItWas) {
  Record made = record("r1");
  made.agent = "coder";
  made.arguments = R"({"a":1})";
  made.context = R"({"values":{"tenant":"7"}})";
  made.definition = "d";
  made.approval = "ap_1";
  made.tool_use_id = "toolu_1";
  made.idempotency_key = "k";
  made.key_tool = "greet";
  made.claim = std::string("\0\xfe", 2);
  made.made_by = tool::MadeBy::Detached;
  made.executes = tool::Executes::Caller;
  made.state = RecordState::Processing;
  made.reason = "question";
  made.code = "x";
  made.lease = {7, "key", "w1"};
  made.heartbeat = at(3);
  made.client_clock = 1'234'567;
  made.expires = at(99);
  made.poll_interval = std::chrono::milliseconds(5);
  made.result = "{}";
  made.failure = R"({"code":1})";
  made.questions = {{"1:a", "elicitation/create", "{}"}};
  made.asked = 1;
  made.continuation = {std::string("\0\xff", 2), {{"a", R"({"b":2})"}}};
  made.round_state = std::string("x\0", 2);
  made.round_answers = {{"c", "3"}};
  ASSERT_TRUE(write(made, 0));
  store_ = open();
  const Record found = stored("r1");
  EXPECT_EQ(found.claim, made.claim);
  EXPECT_EQ(found.session, "s");
  EXPECT_EQ(found.agent, made.agent);
  EXPECT_EQ(found.arguments, made.arguments);
  EXPECT_EQ(found.context, made.context);
  EXPECT_EQ(found.definition, made.definition);
  EXPECT_EQ(found.approval, made.approval);
  EXPECT_EQ(found.tool_use_id, made.tool_use_id);
  EXPECT_EQ(found.idempotency_key, made.idempotency_key);
  EXPECT_EQ(found.key_tool, made.key_tool);
  EXPECT_EQ(found.made_by, made.made_by);
  EXPECT_EQ(found.executes, made.executes);
  EXPECT_EQ(found.state, made.state);
  EXPECT_EQ(found.reason, made.reason);
  EXPECT_EQ(found.code, made.code);
  EXPECT_EQ(found.lease, made.lease);
  EXPECT_EQ(found.version, 1u);
  EXPECT_EQ(found.created, made.created);
  EXPECT_EQ(found.heartbeat, made.heartbeat);
  EXPECT_EQ(found.client_clock, made.client_clock);
  EXPECT_EQ(found.expires, made.expires);
  EXPECT_EQ(found.poll_interval, made.poll_interval);
  EXPECT_EQ(found.result, made.result);
  EXPECT_EQ(found.failure, made.failure);
  ASSERT_EQ(found.questions.size(), 1u);
  EXPECT_EQ(found.questions[0].key, "1:a");
  EXPECT_EQ(found.continuation.state, made.continuation.state);
  EXPECT_EQ(found.continuation.answers, made.continuation.answers);
  EXPECT_EQ(found.round_state, made.round_state);
  EXPECT_EQ(found.round_answers, made.round_answers);
  EXPECT_EQ(store_->records().list("o").value().size(), 1u);
  EXPECT_TRUE(store_->records().list("other").value().empty());
}

TEST_F(RecordStoreTest, AChangeFromAnOldVersionIsRefusedAndLeavesNoTransition) {
  ASSERT_TRUE(write(record("r1"), 0));
  Record next = record("r1");
  next.version = 2;
  next.state = RecordState::Processing;
  ASSERT_TRUE(write(next, 1));
  next.state = RecordState::Error;
  EXPECT_FALSE(write(next, 1));
  EXPECT_FALSE(write(record("r1"), 0)) << "an id is used once";
  EXPECT_FALSE(write(record("r2"), 1)) << "a removed record does not come back";
  EXPECT_EQ(stored("r1").state, RecordState::Processing);
  EXPECT_THAT(numbers("s"), ElementsAre(1, 2));
}

TEST_F(RecordStoreTest, AnOlderLeaseIsRefused) {
  Record held = record("r1");
  held.lease.token = 2;
  ASSERT_TRUE(write(held, 0));
  Record late = held;
  late.version = 2;
  late.lease.token = 1;
  EXPECT_FALSE(write(late, 1));
  EXPECT_EQ(stored("r1").lease.token, 2u);
}

TEST_F(RecordStoreTest, OneRefusedRecordDoesNotStopTheOthers) {
  ASSERT_TRUE(write(record("r1"), 0));
  const Record stale = record("r1");
  const Record fresh = record("r2");
  const auto done = store_->records()
                        .write({{std::make_shared<Record>(stale), 0, {transition(stale)}},
                                {std::make_shared<Record>(fresh), 0, {transition(fresh)}}},
                               "o")
                        .value();
  EXPECT_FALSE(done[0]);
  ASSERT_TRUE(done[1]);
  EXPECT_EQ(done[1]->front().seq, 2u);
}

TEST_F(RecordStoreTest, NumbersGrowPerSessionAndNoneIsUsedTwice) {
  ASSERT_TRUE(write(record("r1", "a"), 0));
  ASSERT_TRUE(write(record("r2", "b"), 0));
  ASSERT_TRUE(write(record("r3", "a"), 0));
  EXPECT_THAT(numbers("a"), ElementsAre(1, 2));
  EXPECT_THAT(numbers("b"), ElementsAre(1));
  ASSERT_TRUE(store_->records().forget({"r1", "r3"}));
  EXPECT_THAT(numbers("a"), ElementsAre());
  store_ = open();
  ASSERT_TRUE(write(record("r4", "a"), 0));
  EXPECT_THAT(numbers("a"), ElementsAre(3));
}

TEST_F(RecordStoreTest, EndsAreFoundInTheirOrder) {
  ASSERT_TRUE(write(record("r1"), 0));
  ASSERT_TRUE(write(record("r2"), 0));
  for (const char* id : {"r2", "r1"}) {
    Record over = record(id);
    over.version = 2;
    over.state = RecordState::Complete;
    ASSERT_TRUE(write(over, 1));
  }
  const auto ends = store_->records().ends_after("s", 0, 100).value();
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0].record, "r2");
  EXPECT_EQ(ends[1].record, "r1");
  EXPECT_EQ(store_->records().ends_after("s", ends[0].seq, 100).value().size(), 1u);
  EXPECT_EQ(store_->records().ends_after("s", 0, 1).value().size(), 1u);
}

TEST_F(RecordStoreTest, TheStoreKnowsWhichEndsWereRemoved) {
  Record old = record("r1");
  old.state = RecordState::Complete;
  old.expires = at(60);
  ASSERT_TRUE(write(old, 0));
  ASSERT_TRUE(write(record("r2"), 0));
  Record over = record("r3");
  over.state = RecordState::Error;
  ASSERT_TRUE(write(over, 0));
  const auto lost = [this] { return store_->records().last_lost("s").value(); };
  EXPECT_EQ(lost(), 0u);
  ASSERT_TRUE(store_->records().forget({"r2"}));
  EXPECT_EQ(lost(), 0u) << "it had not ended";
  ASSERT_TRUE(store_->records().forget_expired(at(60), "o"));
  EXPECT_EQ(lost(), 1u);
  ASSERT_TRUE(store_->records().forget({"r3"}));
  EXPECT_EQ(lost(), 3u);
  EXPECT_EQ(store_->records().last_lost("other").value(), 0u);
}

TEST_F(RecordStoreTest, AnAnswerAndTheTwinAreKept) {
  Record answered = record("r1");
  answered.state = RecordState::Processing;
  answered.response = {"{}", "failed", "rest:bob", true};
  answered.twin = "digest";
  ASSERT_TRUE(write(answered, 0));
  store_ = open();
  EXPECT_EQ(stored("r1").response.result, "{}");
  EXPECT_EQ(stored("r1").response.code, "failed");
  EXPECT_EQ(stored("r1").response.by, "rest:bob");
  EXPECT_TRUE(stored("r1").response.checked);
  EXPECT_EQ(stored("r1").twin, "digest");
}

TEST_F(RecordStoreTest, AHeartbeatNeedsItsLeaseAndARecordInProcess) {
  Record held = record("r1");
  held.state = RecordState::Processing;
  held.lease.token = 2;
  ASSERT_TRUE(write(held, 0));
  ASSERT_TRUE(write(record("r2"), 0));
  ASSERT_TRUE(
      store_->records().beat({{"r1", 1, at(5), 1}, {"r2", 0, at(5), {}}, {"no", 0, {}, {}}}));
  EXPECT_EQ(stored("r1").client_clock, std::nullopt);
  ASSERT_TRUE(store_->records().beat({{"r1", 2, at(6), 9}}));
  EXPECT_EQ(stored("r1").heartbeat, at(6));
  EXPECT_EQ(stored("r1").client_clock, 9u);
  EXPECT_EQ(stored("r1").version, 1u);
  EXPECT_EQ(stored("r2").state, RecordState::Pending);
}

TEST_F(RecordStoreTest, AnExpiredRecordGoesWithItsTransitions) {
  Record old = record("r1");
  old.state = RecordState::Complete;
  old.expires = at(60);
  ASSERT_TRUE(write(old, 0));
  ASSERT_TRUE(write(record("r2"), 0));
  ASSERT_TRUE(store_->records().forget_expired(at(59), "o"));
  EXPECT_EQ(store_->records().list("o").value().size(), 2u);
  ASSERT_TRUE(store_->records().forget_expired(at(60), "o"));
  EXPECT_FALSE(store_->records().find("r1").value());
  EXPECT_THAT(numbers("s"), ElementsAre(2));
}

// A client that follows the session asks for what is after the last number that it has seen.
TEST_F(RecordStoreTest, TheNumbersOfASessionGoOnWhileItLives) {
  SessionRecord lives;
  lives.id = "s";
  ASSERT_TRUE(store_->sessions().add(lives));
  for (const char* const session : {"s", "ended"}) {
    Record old = record(std::string("r of ") + session, session);
    old.state = RecordState::Complete;
    old.expires = at(60);
    ASSERT_TRUE(write(old, 0));
  }
  const WallTime later = system_clock().wall() + std::chrono::hours(24 * 31);
  ASSERT_TRUE(store_->records().forget_expired(later, "o"));
  EXPECT_EQ(store_->records().last_lost("s").value(), 1u);
  ASSERT_TRUE(write(record("r1", "s"), 0));
  ASSERT_TRUE(write(record("r2", "ended"), 0));
  EXPECT_THAT(numbers("s"), ElementsAre(2));
  EXPECT_THAT(numbers("ended"), ElementsAre(1));
}

TEST_F(RecordStoreTest, AnExpiredRecordThatHasNotEndedIsItsHosts) {
  Record open = record("r1");
  open.expires = at(60);
  ASSERT_TRUE(write(open, 0));
  constexpr int kDay = 24 * 3600;
  ASSERT_TRUE(store_->records().forget_expired(at(59 + kDay), "another"));
  EXPECT_TRUE(store_->records().find("r1").value());
  ASSERT_TRUE(store_->records().forget_expired(at(60 + kDay), "o"));
  EXPECT_TRUE(store_->records().find("r1").value());
  ASSERT_TRUE(store_->records().forget_expired(at(60 + kDay), "another"));
  EXPECT_FALSE(store_->records().find("r1").value());
}

TEST_F(RecordStoreTest, TheNewestRecordsComeFirstOfASessionAndInAState) {
  for (int i = 0; i < 4; ++i) {
    Record made = record("r" + std::to_string(i), i < 2 ? "s" : "t");
    made.created = at(i);
    made.state = i % 2 == 0 ? RecordState::Pending : RecordState::Error;
    ASSERT_TRUE(write(made, 0));
  }
  EXPECT_THAT(newest({}), ElementsAre("r3", "r2", "r1", "r0"));
  EXPECT_THAT(newest({}, 2), ElementsAre("r3", "r2"));
  EXPECT_THAT(newest({"s", std::nullopt}), ElementsAre("r1", "r0"));
  EXPECT_THAT(newest({"", RecordState::Error}), ElementsAre("r3", "r1"));
  EXPECT_THAT(newest({"t", RecordState::Pending}), ElementsAre("r2"));
}

}  // namespace
}  // namespace host::store
