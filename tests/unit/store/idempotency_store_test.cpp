// The contract of store::IdempotencyStore.
#include "store/part/idempotency_store.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "store/part/idempotency_claims.h"
#include "store/sqlite/sqlite.h"
#include "store/store.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Met = IdempotencyMeeting::State;

class KeptClock final : public Clock {
 public:
  SteadyTime steady() const override { return {}; }
  WallTime wall() const override { return now; }
  WallTime now{std::chrono::hours(24 * 365 * 50)};
};

Result<void> keep(IdempotencyStore& store, const IdempotencyKey& key,
                  const tool::CallResult& result) {
  return store.keep({{key, result}}).front();
}

class IdempotencyStoreTest : public ::testing::Test {
 protected:
  IdempotencyStoreTest() {
    std::string name = (fs::temp_directory_path() / "idempotency-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    options_.idempotency = {24h, 3, 1000};
    store_ = open();
  }
  ~IdempotencyStoreTest() override {
    other_.reset();
    store_.reset();
    fs::remove_all(folder_);
  }

  std::unique_ptr<Store> open() {
    return open_sqlite_store(folder_ / "toolpost.db", clock_, options_).value();
  }
  IdempotencyStore& keys() { return store_->idempotency(); }
  IdempotencyMeeting meet(const IdempotencyKey& key, std::string_view arguments = "{}") {
    return keys().meet(key, sha256(arguments)).value();
  }
  // At a different host.
  IdempotencyMeeting meet_elsewhere(const IdempotencyKey& key, std::string_view arguments = "{}") {
    if (!other_) other_ = open();
    return other_->idempotency().meet(key, sha256(arguments)).value();
  }
  // As the I/O thread does.
  bool is_claimed_as_new(const IdempotencyKey& key) {
    return keys().claims()->claim_new(key, sha256("{}"));
  }
  void keep_answer_of(const IdempotencyKey& key) {
    ASSERT_EQ(meet(key).state, Met::Claimed);
    ASSERT_TRUE(keep(keys(), key, {}));
  }
  static tool::CallResult answer() {
    tool::CallResult result = tool::CallResult::error("no");
    result.structured = R"({"a":1})";
    result.meta = R"("m":2)";
    return result;
  }

  fs::path folder_;
  KeptClock clock_;
  StoreOptions options_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Store> other_;  // null: no other host
  const IdempotencyKey key_{"anna", "greet", "k"};
};

TEST_F(IdempotencyStoreTest, KeepsAnAnswerWholeAndOverARestart) {
  EXPECT_EQ(meet(key_).state, Met::Claimed);
  ASSERT_TRUE(keep(keys(), key_, answer()));
  store_ = open();
  const auto met = meet(key_);
  ASSERT_EQ(met.state, Met::Kept);
  EXPECT_TRUE(met.result.is_error);
  EXPECT_EQ(met.result.content, answer().content);
  EXPECT_EQ(met.result.structured, answer().structured);
  EXPECT_EQ(met.result.meta, answer().meta);
}

TEST_F(IdempotencyStoreTest, TellsWhoRunsAndWhoClashes) {
  EXPECT_EQ(meet(key_).state, Met::Claimed);
  EXPECT_EQ(meet(key_).state, Met::Running);
  EXPECT_EQ(meet(key_, "{\"a\":1}").state, Met::Clash);
  EXPECT_EQ(meet_elsewhere(key_).state, Met::Running);
  EXPECT_EQ(meet_elsewhere(key_, "{\"a\":1}").state, Met::Running);  // a clash at its end
  ASSERT_TRUE(keep(keys(), key_, answer()));
  EXPECT_EQ(meet_elsewhere(key_).state, Met::Kept);
  EXPECT_EQ(meet_elsewhere(key_, "{\"a\":1}").state, Met::Clash);
  EXPECT_EQ(meet(key_, "{\"a\":1}").state, Met::Clash);
  EXPECT_EQ(meet({"bert", "greet", "k"}).state, Met::Claimed);
  EXPECT_EQ(meet({"anna", "other", "k"}).state, Met::Claimed);
}

TEST_F(IdempotencyStoreTest, AClaimThatIsGivenUpIsFree) {
  EXPECT_EQ(meet(key_).state, Met::Claimed);
  EXPECT_EQ(meet_elsewhere(key_).state, Met::Running);
  ASSERT_TRUE(other_->idempotency().give_up(key_));           // not its own
  EXPECT_FALSE(keep(other_->idempotency(), key_, answer()));  // nor this
  EXPECT_EQ(meet_elsewhere(key_).state, Met::Running);
  ASSERT_TRUE(keys().give_up(key_));
  EXPECT_EQ(meet_elsewhere(key_, "{\"a\":1}").state, Met::Claimed);
  EXPECT_EQ(meet(key_).state, Met::Running);
}

TEST_F(IdempotencyStoreTest, AClaimEndsWithItsHostAtOnceAndNotBefore) {
  EXPECT_EQ(meet(key_).state, Met::Claimed);
  clock_.now += 48h;
  EXPECT_EQ(meet_elsewhere(key_).state, Met::Running);
  store_.reset();  // closes what it has open, as the end of a process does
  EXPECT_EQ(meet_elsewhere(key_).state, Met::Claimed);
}

TEST_F(IdempotencyStoreTest, AClaimEndsWithAKilledProcess) {
  store_.reset();  // SQLite must not be open in two processes by a fork
  int ready[2] = {-1, -1};
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t other = ::fork();
  if (other == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const auto kept = open();
    const bool claimed = kept->idempotency().meet(key_, sha256("{}")).value().state == Met::Claimed;
    const char word = claimed ? 'y' : 'n';
    if (::write(ready[1], &word, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  ASSERT_GT(other, 0);
  char word = 0;
  ASSERT_EQ(::read(ready[0], &word, 1), 1);
  EXPECT_EQ(word, 'y');
  store_ = open();
  EXPECT_EQ(meet(key_).state, Met::Running);
  ASSERT_EQ(::kill(other, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_EQ(meet(key_).state, Met::Claimed);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(IdempotencyStoreTest, TheFileOfClaimsIsItsOwners) {
  EXPECT_EQ(meet(key_).state, Met::Claimed);
  const fs::path file = folder_ / "toolpost.db.claims";
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  const auto other = open();
  const auto met = other->idempotency().meet(key_, sha256("{}"));
  ASSERT_FALSE(met);
  EXPECT_NE(met.error().message.find("other users may write to"), std::string::npos);
}

TEST_F(IdempotencyStoreTest, HostsMeetInTheFileOfClaimsThatIsThereNow) {
  const IdempotencyKey before{"anna", "t", "before"};
  EXPECT_EQ(meet(before).state, Met::Claimed);
  fs::remove(folder_ / "toolpost.db.claims");
  const IdempotencyKey after{"anna", "t", "after"};
  EXPECT_EQ(meet_elsewhere(after).state, Met::Claimed);   // makes a new file
  EXPECT_EQ(meet(after).state, Met::Running);             // finds the new file
  EXPECT_EQ(meet_elsewhere(before).state, Met::Running);  // which has this claim by now
  ASSERT_TRUE(keys().give_up(before));
  EXPECT_EQ(meet_elsewhere(before).state, Met::Claimed);
}

TEST_F(IdempotencyStoreTest, AKeyThatRunsUnderAReplacedFileDoesNotRunAgain) {
  EXPECT_EQ(meet(key_).state, Met::Claimed);
  EXPECT_EQ(meet_elsewhere(key_).state, Met::Running);
  fs::remove(folder_ / "toolpost.db.claims");
  EXPECT_EQ(meet_elsewhere({"anna", "t", "other"}).state, Met::Claimed);
  EXPECT_EQ(meet_elsewhere(key_).state, Met::Running);
  ASSERT_TRUE(keys().give_up(key_));
  EXPECT_EQ(meet_elsewhere(key_).state, Met::Claimed);
  EXPECT_EQ(meet(key_).state, Met::Running);
}

TEST_F(IdempotencyStoreTest, AResultOfAClockThatWasWrongKeepsNoOthers) {
  clock_.now += std::chrono::hours(24 * 365);
  keep_answer_of({"anna", "t", "of the wrong clock"});
  clock_.now -= std::chrono::hours(24 * 365);
  keep_answer_of({"anna", "t", "old"});
  clock_.now += 23h;
  keep_answer_of({"anna", "t", "new"});
  clock_.now += 2h;
  EXPECT_EQ(meet({"anna", "t", "next"}).state, Met::Claimed);  // three are the bound
  EXPECT_EQ(meet({"anna", "t", "new"}).state, Met::Kept);
  EXPECT_EQ(meet({"anna", "t", "old"}).state, Met::Claimed);
}

TEST_F(IdempotencyStoreTest, AResultStaysIfTheClockIsSetBackALittle) {
  keep_answer_of(key_);
  clock_.now -= 1h;
  keep_answer_of({"anna", "t", "2"});
  clock_.now += 10s;
  keep_answer_of({"anna", "t", "3"});
  EXPECT_EQ(meet(key_).state, Met::Kept);
}

TEST_F(IdempotencyStoreTest, AClockThatIsBehindRemovesNothing) {
  keep_answer_of(key_);
  clock_.now -= std::chrono::hours(24 * 365);
  keep_answer_of({"bert", "t", "2"});
  clock_.now += 10s;
  keep_answer_of({"bert", "t", "3"});
  clock_.now += std::chrono::hours(24 * 365);
  EXPECT_EQ(meet(key_).state, Met::Kept);
}

// Also where nobody is full, and in the process that has had the wrong time.
TEST_F(IdempotencyStoreTest, OldResultsGoAfterAClockThatWasAhead) {
  clock_.now += std::chrono::hours(24 * 365);
  keep_answer_of({"bert", "t", "of the wrong clock"});
  clock_.now -= std::chrono::hours(24 * 365);
  keep_answer_of({"carl", "t", "old"});
  clock_.now += 25h;
  keep_answer_of(key_);
  auto database = Sqlite::open(folder_ / "toolpost.db").value();
  auto rows =
      database
          ->prepare(
              "SELECT group_concat(key, ', ') FROM (SELECT key FROM idempotency ORDER BY place)")
          .value();
  ASSERT_TRUE(rows.step().value());
  EXPECT_EQ(rows.text(0), "of the wrong clock, " + key_.key);
}

// ---- the index: which keys are new is known without the store

TEST_F(IdempotencyStoreTest, ANewKeyIsClaimedWithoutTheStoreOnceItsPrincipalIsKnown) {
  EXPECT_FALSE(is_claimed_as_new(key_));  // nothing was read yet
  keep_answer_of(key_);
  EXPECT_FALSE(is_claimed_as_new(key_));
  EXPECT_EQ(meet(key_).state, Met::Kept);
  const IdempotencyKey next{"anna", "greet", "next"};
  EXPECT_TRUE(is_claimed_as_new(next));
  EXPECT_FALSE(is_claimed_as_new(next));
  EXPECT_EQ(meet(next).state, Met::Running);
  EXPECT_EQ(meet(next, "{\"a\":1}").state, Met::Clash);
  ASSERT_TRUE(keep(keys(), next, answer()));
  EXPECT_FALSE(is_claimed_as_new(next));
  EXPECT_EQ(meet(next).state, Met::Kept);
  const IdempotencyKey given_up{"anna", "greet", "given up"};
  EXPECT_TRUE(is_claimed_as_new(given_up));
  ASSERT_TRUE(keys().give_up(given_up));
  EXPECT_TRUE(is_claimed_as_new(given_up));
  EXPECT_FALSE(is_claimed_as_new({"bert", "greet", "k"}));  // how much bert has is not known
}

TEST_F(IdempotencyStoreTest, ResultsAreStoredTogetherAndOneFailureIsItsOwn) {
  const IdempotencyKey first{"anna", "t", "first"};
  const IdempotencyKey second{"anna", "t", "second"};
  const IdempotencyKey unclaimed{"anna", "t", "unclaimed"};
  ASSERT_EQ(meet(first).state, Met::Claimed);
  ASSERT_EQ(meet(second).state, Met::Claimed);
  auto outcomes = keys().keep({{first, answer()}, {unclaimed, answer()}, {second, {}}});
  ASSERT_EQ(outcomes.size(), 3u);
  EXPECT_TRUE(outcomes[0]);
  EXPECT_FALSE(outcomes[1]);
  EXPECT_TRUE(outcomes[2]);
  outcomes.clear();
  const IdempotencyKey third{"anna", "t", "third"};
  ASSERT_EQ(meet(third).state, Met::Claimed);
  ASSERT_EQ(meet({"bert", "t", "1"}).state, Met::Claimed);
  outcomes = keys().keep({{third, answer()}, {{"bert", "t", "1"}, answer()}});
  EXPECT_TRUE(outcomes[0]);
  EXPECT_TRUE(outcomes[1]);
  store_ = open();  // as after the end of the process
  EXPECT_EQ(meet(first).state, Met::Kept);
  EXPECT_EQ(meet(first).result.structured, R"({"a":1})");
  EXPECT_EQ(meet(second).state, Met::Kept);
  EXPECT_EQ(meet(third).state, Met::Kept);
  EXPECT_EQ(meet({"bert", "t", "1"}).state, Met::Kept);
  EXPECT_EQ(meet(unclaimed).state, Met::Full);  // which three keys are for anna
}

TEST_F(IdempotencyStoreTest, AStoreThatIsOpenedAgainIsReadBeforeAKeyIsTakenForNew) {
  options_.idempotency.keys = 2000;
  store_ = open();
  ASSERT_TRUE(store_->together([this]() -> Result<void> {
    for (int i = 0; i < 600; ++i) keep_answer_of({"anna", "t", std::to_string(i)});
    return {};
  }));
  store_ = open();
  int asked = 0;
  for (; asked < 600; ++asked) {
    const IdempotencyKey fresh{"anna", "t", "new " + std::to_string(asked)};
    if (is_claimed_as_new(fresh)) break;
    keep_answer_of(fresh);
  }
  EXPECT_EQ(asked, 3);  // 256 keys in each
  for (int i = 0; i < 600; ++i) EXPECT_FALSE(is_claimed_as_new({"anna", "t", std::to_string(i)}));
  for (int i = 0; i < asked; ++i)
    EXPECT_FALSE(is_claimed_as_new({"anna", "t", "new " + std::to_string(i)}));
}

TEST_F(IdempotencyStoreTest, WhileAnotherHostHasTheStoreOpenNoKeyIsTakenForNew) {
  keep_answer_of(key_);
  EXPECT_TRUE(is_claimed_as_new({"anna", "t", "alone"}));
  const IdempotencyKey elsewhere{"bert", "t", "elsewhere"};
  ASSERT_EQ(meet_elsewhere(elsewhere).state, Met::Claimed);
  ASSERT_TRUE(keep(other_->idempotency(), elsewhere, answer()));
  keep_answer_of({"bert", "t", "known"});  // so bert is known here
  EXPECT_FALSE(is_claimed_as_new(elsewhere));
  EXPECT_FALSE(is_claimed_as_new({"bert", "t", "2"}));
  EXPECT_FALSE(other_->idempotency().claims()->claim_new({"bert", "t", "2"}, sha256("{}")));
  EXPECT_EQ(meet(elsewhere).state, Met::Kept);
}

TEST_F(IdempotencyStoreTest, WhatAnotherHostKeptWhileItRanIsKnownOnceItHasEnded) {
  keep_answer_of(key_);
  const IdempotencyKey elsewhere{"anna", "t", "elsewhere"};
  ASSERT_EQ(meet_elsewhere(elsewhere).state, Met::Claimed);
  ASSERT_TRUE(keep(other_->idempotency(), elsewhere, answer()));
  other_.reset();
  EXPECT_FALSE(is_claimed_as_new(elsewhere));
  EXPECT_FALSE(is_claimed_as_new({"anna", "t", "2"}));  // until the store was read again
  keep_answer_of({"anna", "t", "3"});
  EXPECT_FALSE(is_claimed_as_new(elsewhere));
  EXPECT_EQ(meet(elsewhere).state, Met::Kept);
}

TEST_F(IdempotencyStoreTest, OfTwoHostsThatWereAloneTheSecondOneIsSeenByTheFirst) {
  keep_answer_of(key_);
  other_ = open();
  ASSERT_TRUE(is_claimed_as_new({"anna", "t", "1"}));  // it has claimed nothing yet
  EXPECT_EQ(meet_elsewhere({"anna", "t", "1"}).state, Met::Running);
  EXPECT_FALSE(is_claimed_as_new({"anna", "t", "2"}));
}

TEST_F(IdempotencyStoreTest, AResultThatIsKeptAfterTheFileWasRemovedIsNotNewElsewhere) {
  EXPECT_EQ(meet(key_).state, Met::Claimed);
  fs::remove(folder_ / "toolpost.db.claims");
  EXPECT_EQ(meet_elsewhere({"anna", "t", "x"}).state, Met::Claimed);
  IdempotencyClaims& elsewhere = *other_->idempotency().claims();
  EXPECT_TRUE(elsewhere.claim_new({"anna", "t", "y"}, sha256("{}")));
  ASSERT_TRUE(keep(keys(), key_, answer()));
  EXPECT_FALSE(elsewhere.claim_new(key_, sha256("{}")));
  EXPECT_EQ(meet_elsewhere(key_).state, Met::Kept);
}

TEST_F(IdempotencyStoreTest, AFileOfClaimsThatIsEmptiedInItsPlaceEndsTheIndex) {
  keep_answer_of(key_);
  const auto empty = [this] { fs::resize_file(folder_ / "toolpost.db.claims", 0); };
  empty();
  EXPECT_FALSE(is_claimed_as_new({"anna", "t", "1"}));
  keep_answer_of({"anna", "t", "2"});  // reads the store again
  EXPECT_TRUE(is_claimed_as_new({"anna", "t", "3"}));
  ASSERT_TRUE(keys().give_up({"anna", "t", "3"}));
  const IdempotencyKey elsewhere{"anna", "t", "elsewhere"};
  ASSERT_EQ(meet_elsewhere(elsewhere).state, Met::Claimed);
  ASSERT_TRUE(keep(other_->idempotency(), elsewhere, answer()));
  other_.reset();
  empty();
  EXPECT_FALSE(is_claimed_as_new(elsewhere));
  EXPECT_EQ(meet(elsewhere).state, Met::Kept);
}

TEST_F(IdempotencyStoreTest, AReplacedFileOfClaimsEndsTheIndex) {
  keep_answer_of(key_);
  fs::remove(folder_ / "toolpost.db.claims");
  const IdempotencyKey next{"anna", "t", "next"};
  EXPECT_FALSE(is_claimed_as_new(next));
  keep_answer_of(next);  // reads the store again
  EXPECT_TRUE(is_claimed_as_new({"anna", "t", "2"}));
  EXPECT_FALSE(is_claimed_as_new(key_));
}

TEST_F(IdempotencyStoreTest, AFullPrincipalAsksTheStoreWhichMayForget) {
  keep_answer_of({"anna", "t", "1"});
  EXPECT_TRUE(is_claimed_as_new({"anna", "t", "2"}));
  EXPECT_TRUE(is_claimed_as_new({"anna", "t", "3"}));
  EXPECT_FALSE(is_claimed_as_new({"anna", "t", "4"}));
  EXPECT_EQ(meet({"anna", "t", "4"}).state, Met::Full);
  clock_.now += 24h;
  EXPECT_EQ(meet({"anna", "t", "4"}).state, Met::Claimed);
  ASSERT_TRUE(keys().give_up({"anna", "t", "4"}));
  EXPECT_TRUE(is_claimed_as_new({"anna", "t", "1"}));  // which was forgotten
  const IdempotencyKey large{"bert", "t", "1"};
  EXPECT_EQ(meet(large).state, Met::Claimed);
  ASSERT_TRUE(keep(keys(), large, tool::CallResult::text(std::string(1000, 'x'))));
  EXPECT_FALSE(is_claimed_as_new({"bert", "t", "2"}));
}

TEST_F(IdempotencyStoreTest, ForgetsAnAnswerAtItsTime) {
  EXPECT_EQ(meet(key_).state, Met::Claimed);
  clock_.now += 5s;
  ASSERT_TRUE(keep(keys(), key_, answer()));
  clock_.now += 24h - 1ms;
  EXPECT_EQ(meet(key_).state, Met::Kept);
  clock_.now += 1ms;
  EXPECT_EQ(meet(key_).state, Met::Claimed);
  ASSERT_TRUE(keep(keys(), key_, answer()));
  EXPECT_EQ(meet(key_).state, Met::Kept);
}

TEST_F(IdempotencyStoreTest, APrincipalHasRoomForSoMuch) {
  for (const char* key : {"1", "2", "3"}) EXPECT_EQ(meet({"anna", "t", key}).state, Met::Claimed);
  EXPECT_EQ(meet({"anna", "t", "4"}).state, Met::Full);
  EXPECT_EQ(meet_elsewhere({"anna", "t", "4"}).state, Met::Claimed);  // each host has its own
  ASSERT_TRUE(other_->idempotency().give_up({"anna", "t", "4"}));
  EXPECT_EQ(meet_elsewhere({"anna", "t", "3"}).state, Met::Running);
  for (const char* key : {"1", "2", "3"}) ASSERT_TRUE(keep(keys(), {"anna", "t", key}, {}));
  EXPECT_EQ(meet_elsewhere({"anna", "t", "4"}).state, Met::Full);
  const IdempotencyKey large{"bert", "t", "1"};
  EXPECT_EQ(meet(large).state, Met::Claimed);
  ASSERT_TRUE(keep(keys(), large, tool::CallResult::text(std::string(1000, 'x'))));
  EXPECT_EQ(meet({"bert", "t", "2"}).state, Met::Full);
  EXPECT_EQ(meet(large).state, Met::Kept);
}

TEST_F(IdempotencyStoreTest, ResultsThatEndTogetherDoNotPassTheLimitAndDoNotRunAgain) {
  std::vector<IdempotencyStore::Ended> ended;
  for (const char* key : {"1", "2", "3"}) {
    ASSERT_EQ(meet({"anna", "t", key}).state, Met::Claimed);
    ended.push_back({{"anna", "t", key}, tool::CallResult::text(std::string(1000, 'x'))});
  }
  for (const Result<void>& kept : keys().keep(ended)) EXPECT_TRUE(kept);
  EXPECT_FALSE(meet({"anna", "t", "1"}).result.is_error);
  for (const char* key : {"2", "3"}) {
    const IdempotencyMeeting again = meet({"anna", "t", key});
    EXPECT_EQ(again.state, Met::Kept) << "the tool must not run again";
    EXPECT_TRUE(again.result.is_error);
    EXPECT_THAT(again.result.content, HasSubstr("limits.idempotency_bytes_per_principal"));
  }
}

TEST_F(IdempotencyStoreTest, TheKeyOfAnInterruptedCallRunsNothing) {
  ASSERT_EQ(meet(key_).state, Met::Claimed);
  ASSERT_TRUE(keep(keys(), key_, answer()));
  ASSERT_TRUE(keys().keep_interrupted(key_));
  EXPECT_EQ(meet(key_).result.content, answer().content) << "the call has a result";
  const IdempotencyKey lost{"anna", "t", "lost"};
  ASSERT_TRUE(keys().keep_interrupted(lost));
  for (const char* arguments : {"{}", "{\"a\":1}"}) {
    const IdempotencyMeeting again = keys().meet(lost, sha256(arguments)).value();
    EXPECT_EQ(again.state, Met::Kept);
    EXPECT_TRUE(again.result.is_error);
    EXPECT_THAT(again.result.content, HasSubstr("unknown what that call did"));
  }
  clock_.now += 25h;
  EXPECT_EQ(meet(lost).state, Met::Claimed);
}

// The other host may be alone with the store in the meantime, and know its keys without asking.
TEST_F(IdempotencyStoreTest, AnInterruptedKeyIsClaimedSoThatOtherHostsSeeIt) {
  ASSERT_EQ(meet_elsewhere(key_).state, Met::Claimed);
  ASSERT_TRUE(keys().keep_interrupted(key_));
  ASSERT_TRUE(keep(other_->idempotency(), key_, answer()));
  EXPECT_EQ(meet(key_).result.content, answer().content) << "the other host had the claim";
}

TEST_F(IdempotencyStoreTest, OldAnswersLeaveTheirRoomAndTheFile) {
  for (const char* key : {"1", "2", "3"}) {
    EXPECT_EQ(meet({"anna", "t", key}).state, Met::Claimed);
    ASSERT_TRUE(keep(keys(), {"anna", "t", key}, answer()));
  }
  EXPECT_EQ(meet({"anna", "t", "4"}).state, Met::Full);
  clock_.now += 24h;
  EXPECT_EQ(meet({"anna", "t", "4"}).state, Met::Claimed);
  ASSERT_TRUE(keep(keys(), {"anna", "t", "4"}, answer()));
  clock_.now += 24h;
  EXPECT_EQ(meet({"bert", "t", "1"}).state, Met::Claimed);
  ASSERT_TRUE(keep(keys(), {"bert", "t", "1"}, answer()));  // which forgets the others too
  store_.reset();
  const auto database = Sqlite::open(folder_ / "toolpost.db").value();
  auto rows = database->prepare("SELECT count(*), min(principal) FROM idempotency").value();
  ASSERT_TRUE(rows.step().value());
  EXPECT_EQ(rows.number(0), 1u);
  EXPECT_EQ(rows.text(1), "bert");
}

// A task that has asked its client keeps the key without any host.
class ClaimsOfTasks : public IdempotencyStoreTest {
 protected:
  void put(const tool::Record& record, std::uint64_t expected = 0) {
    const auto shared = std::make_shared<const tool::Record>(record);
    ASSERT_TRUE(store_->records().write({{shared, expected, {}}}, "host"));
  }
  tool::Record waiting() {
    tool::Record record;
    record.id = "t1";
    record.principal = key_.principal;
    record.tool = key_.tool;
    record.key_tool = key_.tool;
    record.idempotency_key = key_.key;
    const Sha256 digest = sha256("{}");
    record.claim.assign(reinterpret_cast<const char*>(digest.data()), digest.size());
    record.asked = 1;
    record.version = 1;
    return record;
  }
};

TEST_F(ClaimsOfTasks, ATaskThatHasAskedKeepsItsKeyUntilItHasEnded) {
  tool::Record task = waiting();
  put(task);
  for (int restarts = 0; restarts < 2; ++restarts) {
    const auto met = meet(key_);
    EXPECT_EQ(met.state, Met::Waiting);
    EXPECT_EQ(met.task, "t1");
    EXPECT_EQ(meet_elsewhere(key_).state, Met::Waiting);
    EXPECT_EQ(meet(key_, "{\"a\":1}").state, Met::Clash);
    EXPECT_EQ(meet({"bert", "greet", "k"}).state, Met::Claimed);
    EXPECT_FALSE(is_claimed_as_new(key_));
    other_.reset();
    store_ = open();
  }
  EXPECT_EQ(keys().meet(key_, sha256("{}"), "t1").value().state, Met::Claimed);
  ASSERT_TRUE(keys().give_up(key_));
  task.state = tool::RecordState::Error;
  task.version = 2;
  put(task, 1);
  EXPECT_EQ(meet(key_).state, Met::Claimed);
}

// Its host was killed, and has not started again.
TEST_F(ClaimsOfTasks, ADetachedCallInProgressKeepsItsKeyWithoutItsHost) {
  tool::Record call = waiting();
  call.made_by = tool::MadeBy::Detached;
  call.state = tool::RecordState::Processing;
  call.claim.clear();
  call.asked = 0;
  call.updated = clock_.now;
  put(call);
  EXPECT_EQ(meet_elsewhere(key_).state, Met::Running);
  EXPECT_EQ(meet_elsewhere({"bert", "greet", "k"}).state, Met::Claimed);
  EXPECT_FALSE(is_claimed_as_new(key_));
  EXPECT_EQ(keys().meet(key_, sha256("{}"), "t1").value().state, Met::Claimed) << "the call itself";
  ASSERT_TRUE(keys().give_up(key_));
  ASSERT_TRUE(keys().keep_interrupted(key_));  // its host has started again
  EXPECT_EQ(meet_elsewhere(key_).state, Met::Kept);
  clock_.now += 24h;
  EXPECT_EQ(meet_elsewhere(key_).state, Met::Claimed);
}

TEST_F(ClaimsOfTasks, NoOtherTaskKeepsAKey) {
  tool::Record task = waiting();
  task.asked = 0;  // after a restart, it ends
  put(task);
  task.id = "t2";
  task.asked = 1;
  task.claim.clear();
  put(task);
  task = waiting();
  task.id = "t3";
  task.expires = clock_.now;
  put(task);
  EXPECT_EQ(meet(key_).state, Met::Claimed);
}

// The I/O thread does not ask the store for a new key: its index has the keys of tasks too.
TEST_F(ClaimsOfTasks, TheIndexHasTheKeysOfTasks) {
  put(waiting());
  keep_answer_of({"anna", "greet", "first"});  // begins the index
  EXPECT_TRUE(is_claimed_as_new({"anna", "greet", "second"}));
  EXPECT_FALSE(is_claimed_as_new(key_));
}

}  // namespace
}  // namespace host::store
