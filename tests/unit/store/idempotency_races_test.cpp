// What a different host does while a host looks at a key.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <utility>

#include "store/part/idempotency_store.h"
#include "store/store.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Met = IdempotencyMeeting::State;

// Calls a function when somebody asks for the time.
class InterruptingClock final : public Clock {
 public:
  SteadyTime steady() const override { return {}; }
  WallTime wall() const override {
    if (const auto act = std::exchange(interrupt, nullptr)) act();
    return now;
  }
  WallTime now{std::chrono::hours(24 * 365 * 50)};
  mutable std::function<void()> interrupt;  // null: nothing to do
};

class IdempotencyRaces : public ::testing::Test {
 protected:
  IdempotencyRaces() {
    std::string name = (fs::temp_directory_path() / "idempotency-races-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    store_ = open();
    other_ = open();
  }
  ~IdempotencyRaces() override {
    other_.reset();
    store_.reset();
    fs::remove_all(folder_);
  }

  std::unique_ptr<Store> open() {
    return open_sqlite_store(folder_ / "toolpost.db", clock_, {}).value();
  }
  static Met meet(Store& store, const IdempotencyKey& key) {
    return store.idempotency().meet(key, sha256("{}")).value().state;
  }
  static void keep_answer_of(Store& store, const IdempotencyKey& key) {
    ASSERT_EQ(meet(store, key), Met::Claimed);
    ASSERT_TRUE(store.idempotency().keep({{key, {}}}).front());
  }

  fs::path folder_;
  InterruptingClock clock_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Store> other_;  // of a different host
};

TEST_F(IdempotencyRaces, AResultInThePlaceOfAnExpiredOneStays) {
  const IdempotencyKey old{"anna", "t", "old"};
  const IdempotencyKey fresh{"anna", "t", "fresh"};
  keep_answer_of(*store_, old);
  clock_.now += 25h;
  clock_.interrupt = [&] { keep_answer_of(*other_, fresh); };  // removes old results first
  EXPECT_EQ(meet(*store_, old), Met::Claimed);
  EXPECT_EQ(meet(*store_, fresh), Met::Kept);
}

}  // namespace
}  // namespace host::store
