#include "task/room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/manual_clock.h"
#include "support/run_loop.h"

namespace host::task {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tool::MadeBy;
using tool::Record;
using tool::RecordState;

class RoomTest : public ::testing::Test {
 protected:
  void add(const std::string& id, RecordState state, const std::string& principal = "ann",
           std::size_t bytes = 0, MadeBy made_by = MadeBy::Detached) {
    clock.advance(seconds(1));
    Record record;
    record.id = id;
    record.principal = principal;
    record.state = state;
    record.made_by = made_by;
    record.arguments = std::string(bytes, 'x');
    records.add(std::move(record), "rest");
    loop.turn();
  }
  void end(const std::string& id) {
    clock.advance(seconds(1));
    Record next = *records.find(id);
    next.state = RecordState::Complete;
    ASSERT_TRUE(records.change(std::move(next), "rest"));
  }
  std::vector<std::string> left(const std::string& principal = "ann") {
    std::vector<std::string> ids;
    for (const RecordPtr& record : records.of(principal)) ids.push_back(record->id);
    return ids;
  }
  Room::Limits limits(std::size_t all, std::size_t own, std::size_t bytes = 1000) {
    return {all, own, bytes, [this](std::string_view limit) { refused.emplace_back(limit); }};
  }

  test::RunLoop loop;
  test::ManualClock clock;
  Records records{loop.io.get_executor(), clock};
  std::vector<std::string> refused;
};

TEST_F(RoomTest, TheOldestEndedCallsOfThePrincipalMakeRoom) {
  Room room(records, limits(10, 3));
  add("open", RecordState::Pending);
  add("first", RecordState::Complete);
  add("second", RecordState::Error);
  add("other", RecordState::Complete, "bob");
  EXPECT_TRUE(room.make("ann", 0));
  EXPECT_THAT(left(), ElementsAre("open", "second"));
  EXPECT_TRUE(room.make("ann", 0)) << "there is room now";
  EXPECT_THAT(left(), ElementsAre("open", "second"));
  EXPECT_THAT(left("bob"), ElementsAre("other"));
}

TEST_F(RoomTest, ACallThatEndedLastIsTheLastThatMakesRoom) {
  Room room(records, limits(10, 2));
  add("long", RecordState::Pending);
  add("short", RecordState::Complete);
  end("long");
  loop.turn();
  EXPECT_TRUE(room.make("ann", 0));
  EXPECT_THAT(left(), ElementsAre("long"));
}

TEST_F(RoomTest, ACallWhoseEndIsNotStoredYetDoesNotMakeRoom) {
  std::vector<RecordState> told;
  records.on_transition([&](const tool::Transition& one) { told.push_back(one.to); });
  Room room(records, limits(10, 1));
  add("r", RecordState::Pending);
  end("r");
  EXPECT_FALSE(room.make("ann", 0));
  EXPECT_THAT(left(), ElementsAre("r"));
  loop.turn();
  EXPECT_THAT(told, ElementsAre(RecordState::Pending, RecordState::Complete));
  EXPECT_TRUE(room.make("ann", 0));
  EXPECT_THAT(left(), ElementsAre());
}

TEST_F(RoomTest, CallsThatHaveNotEndedAndTasksDoNotMakeRoom) {
  Room room(records, limits(10, 2));
  add("a", RecordState::Pending);
  add("b", RecordState::Processing);
  add("task", RecordState::Complete, "ann", 0, MadeBy::TaskClient);
  const auto made = room.make("ann", 0);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::Unavailable);
  EXPECT_THAT(made.error().message, HasSubstr("limits.detached_calls_per_principal"));
  EXPECT_THAT(refused, ElementsAre("limits.detached_calls_per_principal"));
  EXPECT_THAT(left(), ElementsAre("a", "b", "task"));
  EXPECT_TRUE(room.is_full_for("ann", 0));
  EXPECT_TRUE(room.make("bob", 0));
}

TEST_F(RoomTest, BytesAreLimitedForEachPrincipal) {
  Room room(records, limits(10, 10, 100));
  add("open", RecordState::Pending, "ann", 60);
  add("ended", RecordState::Complete, "ann", 30);
  EXPECT_TRUE(room.make("ann", 40)) << "what ended makes room";
  EXPECT_THAT(left(), ElementsAre("open"));
  EXPECT_FALSE(room.make("ann", 41));
  EXPECT_TRUE(room.is_full_for("ann", 41)) << "by its own limit";
  EXPECT_FALSE(room.is_full_for("ann", 40));
  EXPECT_FALSE(room.make("ann", 41, Room::Adds::Bytes));
  EXPECT_TRUE(room.make("ann", 40, Room::Adds::Bytes));
}

TEST_F(RoomTest, TheBytesOfTasksAreNotThoseOfDetachedCalls) {
  Room room(records, limits(10, 10, 100));
  add("task", RecordState::Complete, "ann", 1000, MadeBy::TaskClient);
  EXPECT_TRUE(room.make("ann", 50));
  EXPECT_FALSE(room.is_full_for("ann", 50));
}

TEST_F(RoomTest, TheLimitOfAllPrincipalsIsNotThePrincipalsOwn) {
  Room room(records, limits(2, 10));
  add("a", RecordState::Pending);
  add("b", RecordState::Pending, "bob");
  EXPECT_FALSE(room.make("ann", 0));
  EXPECT_THAT(refused, ElementsAre("limits.detached_calls"));
  EXPECT_FALSE(room.is_full_for("ann", 0));
}

TEST_F(RoomTest, SeveralMakeRoomAtOnce) {
  Room room(records, limits(1000, 200));
  for (int i = 0; i < 200; ++i) add("r" + std::to_string(i), RecordState::Complete);
  EXPECT_TRUE(room.make("ann", 0));
  EXPECT_EQ(left().size(), 198u);
  EXPECT_EQ(left().front(), "r2");
}

}  // namespace
}  // namespace host::task
