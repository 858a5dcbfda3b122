#include "task/handovers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "support/manual_clock.h"
#include "support/run_loop.h"

namespace host::task {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using tool::Record;
using tool::RecordState;

class HandoversTest : public ::testing::Test {
 protected:
  struct Handed {
    std::shared_ptr<tool::Invocation> invocation = std::make_shared<tool::Invocation>();
    std::optional<Result<tool::CallResult>> result;
  };

  HandoversTest() {
    tool::Declaration declaration;
    declaration.name = "getLocations";
    declaration.description = "Lists locations";
    declaration.input_schema = R"({"type":"object"})";
    tool = tool::Tool::make(std::move(declaration), 0).value();
  }

  std::shared_ptr<Handed> hand_over(const std::string& arguments, bool outlives = true,
                                    const std::string& call = "c1") {
    auto handed = std::make_shared<Handed>();
    tool::Invocation& invocation = *handed->invocation;
    auto passport = std::make_shared<tool::Passport>();
    passport->call = call;
    passport->who = {"ann", "", "s1"};
    invocation.passport = passport;
    invocation.tool = tool;
    invocation.arguments = arguments;
    invocation.outlives = outlives;
    invocation.set_on_finish(
        [handed = std::weak_ptr<Handed>(handed)](Result<tool::CallResult> given) {
          if (const auto there = handed.lock()) there->result = std::move(given);
        });
    handovers.hand_over(handed->invocation);
    loop.turn();
    return handed;
  }
  RecordPtr only_record() {
    const auto all = records.of("ann");
    EXPECT_THAT(all, SizeIs(1));
    return all.front();
  }
  void respond(const RecordPtr& record) {
    const auto response = json::parse(R"({"state":"COMPLETE","n":1})");
    EXPECT_TRUE(std::holds_alternative<RecordPtr>(
        leases.respond(record, {"key:1", "", {}, "rest:ann"}, response->root())));
    loop.turn();
  }

  test::RunLoop loop;
  test::ManualClock clock;
  Records records{loop.io.get_executor(), clock};
  std::shared_ptr<const tool::Tool> tool;
  Room room{records, {2, 2, 1u << 20u}};
  Leases leases{clock, records, room, {}, [this](const Record&) { return tool; }};
  Handovers handovers{loop.io.get_executor(), records, leases, room, milliseconds(0)};
};

TEST_F(HandoversTest, ACallIsAnnouncedAndEndsWithItsRecord) {
  const auto handed = hand_over(R"({"a":1})");
  const RecordPtr record = only_record();
  EXPECT_EQ(record->executes, tool::Executes::Caller);
  EXPECT_EQ(record->reason, tool::kWaitsForCaller);
  EXPECT_EQ(record->arguments, R"({"a":1})");
  EXPECT_FALSE(handed->result);
  respond(record);
  ASSERT_TRUE(handed->result);
  EXPECT_EQ((*handed->result)->structured, R"({"n":1})");
  EXPECT_FALSE((*handed->result)->is_error);
}

TEST_F(HandoversTest, ADetachedCallIsAnnouncedByItsOwnRecord) {
  Record own;
  own.id = "c1";
  own.principal = "ann";
  own.made_by = tool::MadeBy::Detached;
  own.arguments = R"({"as":"sent"})";
  records.add(own, "rest:ann");
  const auto handed = hand_over(R"({"as":"approved"})");
  EXPECT_EQ(only_record()->id, "c1");
  EXPECT_EQ(only_record()->arguments, R"({"as":"approved"})");
  EXPECT_EQ(only_record()->executes, tool::Executes::Caller);
  respond(only_record());
  EXPECT_TRUE(handed->result);
  EXPECT_TRUE(hand_over("{}")->result) << "it has ended already";
}

TEST_F(HandoversTest, AClientThatStopsWaitingMeetsItsRecordAgain) {
  auto handed = hand_over("{}", false);
  loop.drain();
  ASSERT_TRUE(handed->result);
  EXPECT_THAT((*handed->result)->content, HasSubstr(only_record()->id));
  EXPECT_EQ(handed->invocation->outcome, "pending");
  respond(only_record());
  handed = hand_over("{}", false);
  ASSERT_TRUE(handed->result);
  EXPECT_EQ((*handed->result)->structured, R"({"n":1})");
  EXPECT_FALSE(hand_over("{}")->result) << "one record is for one call";
  EXPECT_THAT(records.of("ann"), SizeIs(2));
}

TEST_F(HandoversTest, ACancelledCallEndsItsRecord) {
  const auto handed = hand_over("{}");
  handovers.take_back(handed->invocation);
  EXPECT_EQ(handed->result->error().kind, ErrorKind::Cancelled);
  EXPECT_EQ(only_record()->code, tool::kCancelled);
}

TEST_F(HandoversTest, AStoppingHostLeavesRecordsToTheNext) {
  const auto handed = hand_over("{}");
  handovers.end_waits();
  ASSERT_TRUE(handed->result);
  EXPECT_EQ(only_record()->state, RecordState::Pending);
}

TEST_F(HandoversTest, WithoutRoomTheCallIsBusy) {
  hand_over(R"({"n":1})");
  hand_over(R"({"n":2})", true, "c2");
  const auto third = hand_over(R"({"n":3})", true, "c3");
  ASSERT_TRUE(third->result);
  EXPECT_EQ(third->invocation->outcome, "busy");
  EXPECT_THAT((*third->result)->content, HasSubstr("limits.detached_calls_per_principal"));
  respond(records.of("ann").front());
  EXPECT_FALSE(hand_over(R"({"n":3})", true, "c4")->result) << "the ended call made room";
  EXPECT_THAT(records.of("ann"), SizeIs(2));
}

}  // namespace
}  // namespace host::task
