// The contract of store::IdempotencyStore.
#include "store/part/idempotency_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "store/store.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using State = IdempotencyMeeting::State;

class KeptClock final : public Clock {
 public:
  SteadyTime steady() const override { return {}; }
  WallTime wall() const override { return now; }
  WallTime now{std::chrono::hours(24 * 365 * 50)};
};

class IdempotencyStoreTest : public ::testing::Test {
 protected:
  IdempotencyStoreTest() {
    std::string name = (fs::temp_directory_path() / "idempotency-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    options_.idempotency = {24h, 10s, 3, 1000};
    store_ = open();
  }
  ~IdempotencyStoreTest() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  std::unique_ptr<Store> open() {
    return open_sqlite_store(folder_ / "toolpost.db", clock_, options_).value();
  }
  IdempotencyStore& keys() { return store_->idempotency(); }
  IdempotencyMeeting meet(const IdempotencyKey& key, std::string_view arguments = "{}",
                          std::string_view holder = "a") {
    return keys().meet(key, sha256(arguments), holder).value();
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
  const IdempotencyKey key_{"anna", "greet", "k"};
};

TEST_F(IdempotencyStoreTest, KeepsAnAnswerWholeAndOverARestart) {
  EXPECT_EQ(meet(key_).state, State::Claimed);
  ASSERT_TRUE(keys().keep(key_, "a", answer()));
  store_ = open();
  const auto met = meet(key_, "{}", "b");
  ASSERT_EQ(met.state, State::Kept);
  EXPECT_TRUE(met.result.is_error);
  EXPECT_EQ(met.result.content, answer().content);
  EXPECT_EQ(met.result.structured, answer().structured);
  EXPECT_EQ(met.result.meta, answer().meta);
}

TEST_F(IdempotencyStoreTest, TellsWhoRunsAndWhoClashes) {
  EXPECT_EQ(meet(key_).state, State::Claimed);
  EXPECT_EQ(meet(key_, "{}", "b").state, State::Running);
  EXPECT_EQ(meet(key_, "{\"a\":1}", "b").state, State::Clash);
  ASSERT_TRUE(keys().keep(key_, "a", answer()));
  EXPECT_EQ(meet(key_, "{\"a\":1}").state, State::Clash);
  EXPECT_EQ(meet({"bert", "greet", "k"}).state, State::Claimed);
  EXPECT_EQ(meet({"anna", "other", "k"}).state, State::Claimed);
}

TEST_F(IdempotencyStoreTest, AClaimThatIsGivenUpIsFree) {
  EXPECT_EQ(meet(key_).state, State::Claimed);
  ASSERT_TRUE(keys().give_up(key_, "b"));  // not its own
  EXPECT_EQ(meet(key_, "{}", "b").state, State::Running);
  ASSERT_TRUE(keys().give_up(key_, "a"));
  EXPECT_EQ(meet(key_, "{\"a\":1}", "b").state, State::Claimed);
}

TEST_F(IdempotencyStoreTest, AClaimEndsWithItsHost) {
  EXPECT_EQ(meet(key_).state, State::Claimed);
  clock_.now += 9s;
  ASSERT_TRUE(keys().renew("a"));
  clock_.now += 9s;
  EXPECT_EQ(meet(key_, "{}", "b").state, State::Running);
  clock_.now += 1s;
  EXPECT_EQ(meet(key_, "{}", "b").state, State::Claimed);
  // What the first host says of it now is too late.
  ASSERT_TRUE(keys().keep(key_, "a", answer()));
  ASSERT_TRUE(keys().give_up(key_, "a"));
  EXPECT_EQ(meet(key_).state, State::Running);
}

TEST_F(IdempotencyStoreTest, ForgetsAnAnswerAtItsTime) {
  EXPECT_EQ(meet(key_).state, State::Claimed);
  clock_.now += 5s;
  ASSERT_TRUE(keys().keep(key_, "a", answer()));
  clock_.now += 24h - 1ms;
  EXPECT_EQ(meet(key_).state, State::Kept);
  clock_.now += 1ms;
  EXPECT_EQ(meet(key_).state, State::Claimed);
}

TEST_F(IdempotencyStoreTest, APrincipalHasRoomForSoMuch) {
  for (const char* key : {"1", "2", "3"}) EXPECT_EQ(meet({"anna", "t", key}).state, State::Claimed);
  EXPECT_EQ(meet({"anna", "t", "4"}).state, State::Full);
  EXPECT_EQ(meet({"anna", "t", "3"}, "{}", "b").state, State::Running);
  const IdempotencyKey large{"bert", "t", "1"};
  EXPECT_EQ(meet(large).state, State::Claimed);
  ASSERT_TRUE(keys().keep(large, "a", tool::CallResult::text(std::string(1000, 'x'))));
  EXPECT_EQ(meet({"bert", "t", "2"}).state, State::Full);
  EXPECT_EQ(meet(large).state, State::Kept);
}

}  // namespace
}  // namespace host::store
