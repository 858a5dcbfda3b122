#include "task/leases.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/manual_clock.h"
#include "support/run_loop.h"

namespace host::task {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using tool::Record;
using tool::RecordState;

class LeasesTest : public ::testing::Test {
 protected:
  LeasesTest() {
    tool::Declaration declaration;
    declaration.name = "getLocations";
    declaration.description = "Lists locations";
    declaration.input_schema = R"({"type":"object"})";
    declaration.output_schema =
        R"({"type":"object","properties":{"locations":{"type":"array"},)"
        R"("state":{"enum":["COMPLETE","FAILED","PENDING"]}},"required":["state"]})";
    tool = tool::Tool::make(std::move(declaration), 0).value();
  }
  RecordPtr add(const std::string& id = "r1") {
    Record record;
    record.id = id;
    record.principal = "ann";
    record.made_by = tool::MadeBy::Detached;
    record.executes = tool::Executes::Caller;
    record.reason = tool::kWaitsForCaller;
    record.definition = tool->digest();
    return records.add(std::move(record), "rest:ann");
  }
  static Leases::Worker worker(const std::string& name = "",
                               std::optional<std::uint64_t> token = {}) {
    return {"key1", name, token, "rest:ann"};
  }
  RecordPtr find(const std::string& id = "r1") { return records.find(id); }
  bool beats(const Leases::Worker& who, const std::string& id = "r1") {
    return std::holds_alternative<RecordPtr>(leases.heartbeat(find(id), who, 17));
  }
  Leases::Answer respond(const std::string& response, const Leases::Worker& who = worker()) {
    const auto tree = json::parse(response);
    return leases.respond(find(), who, tree->root());
  }
  static Leases::Refused refused(const Leases::Answer& answer) {
    return std::get<Leases::Refused>(answer);
  }

  test::RunLoop loop;
  test::ManualClock clock;
  Records records{loop.io.get_executor(), clock};
  std::shared_ptr<const tool::Tool> tool;
  Room room{records, {10, 10, 1000}};
  Leases leases{clock,
                records,
                room,
                {seconds(30), seconds(300), std::chrono::hours(1)},
                [this](const Record&) { return tool; }};
};

TEST_F(LeasesTest, TheFirstHeartbeatPicksUpAndLaterOnesRefresh) {
  add();
  ASSERT_TRUE(beats(worker()));
  EXPECT_EQ(find()->state, RecordState::Processing);
  EXPECT_GT(find()->lease.token, 0u);
  EXPECT_LT(find()->lease.token, 1ull << 53u);
  const auto version = find()->version;
  clock.advance(seconds(29));
  ASSERT_TRUE(beats(worker()));
  clock.advance(seconds(29));
  leases.sweep();
  EXPECT_EQ(find()->state, RecordState::Processing);
  EXPECT_EQ(find()->version, version) << "a heartbeat is no change";
  EXPECT_EQ(records.last_beat("r1").client_clock, 17u);
}

TEST_F(LeasesTest, ASecondWorkerIsAConflict) {
  add();
  ASSERT_TRUE(beats(worker("a")));
  EXPECT_FALSE(beats(worker("b")));
  EXPECT_FALSE(beats({"key2", "a", {}, "rest:ann"}));
  EXPECT_FALSE(beats(worker("a", 2)));
  EXPECT_TRUE(beats(worker("a")));
}

TEST_F(LeasesTest, WhoeverSendsTheTokenHoldsTheLease) {
  add();
  ASSERT_TRUE(beats(worker("a")));
  ASSERT_TRUE(beats(worker("b", find()->lease.token)));
  EXPECT_FALSE(beats(worker("a"))) << "its holder sends the token";
  EXPECT_EQ(refused(respond(R"({"state":"COMPLETE"})", worker("a", 7))).kind,
            Leases::Refused::Kind::Conflict);
  EXPECT_EQ(find()->state, RecordState::Processing);
}

TEST_F(LeasesTest, ATokenHoldsTheLeaseAlsoWhenTheKeyWasRotated) {
  add();
  ASSERT_TRUE(beats(worker()));
  const std::uint64_t token = find()->lease.token;
  EXPECT_FALSE(beats({"key2", "", token + 1, "rest:ann"}));
  EXPECT_TRUE(beats({"key2", "", token, "rest:ann"}));
  EXPECT_TRUE(std::holds_alternative<RecordPtr>(
      respond(R"({"state":"COMPLETE"})", {"key2", "", token, "rest:ann"})));
}

TEST_F(LeasesTest, ATokenDoesNotPickUp) {
  add();
  EXPECT_FALSE(beats(worker("", 1)));
  EXPECT_EQ(find()->state, RecordState::Pending);
}

TEST_F(LeasesTest, AResponseAnswersTheCallAndEndsTheLease) {
  add();
  std::vector<std::string> answered;
  leases.on_response([&](const RecordPtr& record) { answered.push_back(record->response.by); });
  ASSERT_TRUE(beats(worker()));
  ASSERT_TRUE(
      std::holds_alternative<RecordPtr>(respond(R"({"state":"COMPLETE","locations":[1]})")));
  EXPECT_EQ(answered, std::vector<std::string>{"rest:ann"});
  EXPECT_EQ(find()->state, RecordState::Processing) << "the pipeline makes the end";
  EXPECT_EQ(find()->result, "");
  EXPECT_EQ(find()->response.result,
            R"({"content":[{"type":"text","text":"{\"state\":\"COMPLETE\",\"locations\":[1]}"}],)"
            R"("structuredContent":{"state":"COMPLETE","locations":[1]},"isError":false})");
  EXPECT_EQ(find()->response.code, "");
  EXPECT_EQ(refused(respond(R"({"state":"COMPLETE"})")).kind, Leases::Refused::Kind::Conflict);
  EXPECT_FALSE(beats(worker()));
  clock.advance(seconds(1000));
  leases.sweep();
  EXPECT_EQ(find()->state, RecordState::Processing) << "an answered call is not abandoned";
}

TEST_F(LeasesTest, FailedKeepsItsBodyAndPendingIsAHeartbeat) {
  add();
  ASSERT_TRUE(beats(worker()));
  clock.advance(seconds(29));
  ASSERT_TRUE(std::holds_alternative<RecordPtr>(respond(R"({"state":"PENDING"})")));
  clock.advance(seconds(29));
  leases.sweep();
  EXPECT_EQ(find()->state, RecordState::Processing);
  ASSERT_TRUE(std::holds_alternative<RecordPtr>(respond(R"({"state":"FAILED","error":"no"})")));
  EXPECT_EQ(find()->response.code, tool::kFailed);
  EXPECT_NE(find()->response.result.find(R"("structuredContent":{"state":"FAILED","error":"no"})"),
            std::string::npos);
}

TEST_F(LeasesTest, AWrongBodyChangesNothing) {
  add();
  ASSERT_TRUE(beats(worker()));
  EXPECT_EQ(refused(respond("{}")).pointer, "/response/state");
  EXPECT_EQ(refused(respond(R"({"state":"DONE"})")).pointer, "/response/state");
  const auto shape = refused(respond(R"({"state":"COMPLETE","locations":7})"));
  EXPECT_EQ(shape.kind, Leases::Refused::Kind::Invalid);
  EXPECT_EQ(shape.pointer, "/response/locations");
  EXPECT_EQ(find()->state, RecordState::Processing);
}

TEST_F(LeasesTest, AResponseThatCannotBeKeptIsRefused) {
  add();
  ASSERT_TRUE(beats(worker()));
  const auto large = R"({"state":"FAILED","error":")" + std::string(1000, 'x') + R"("})";
  EXPECT_EQ(refused(respond(large)).kind, Leases::Refused::Kind::Invalid);
  EXPECT_EQ(find()->state, RecordState::Processing);
  EXPECT_TRUE(std::holds_alternative<RecordPtr>(respond(R"({"state":"FAILED"})")));
}

TEST_F(LeasesTest, AnErrorHeartbeatAnswersTheCall) {
  add();
  ASSERT_TRUE(std::holds_alternative<RecordPtr>(
      leases.fail(find(), worker(), "Query timed out after 30 seconds")));
  EXPECT_EQ(find()->response.code, tool::kFailed);
  EXPECT_NE(find()->response.result.find("Query timed out"), std::string::npos);
}

TEST_F(LeasesTest, ACallWithoutHeartbeatsIsAbandonedAndOneThatNobodyTakesEnds) {
  add("r1");
  add("r2");
  ASSERT_TRUE(beats(worker()));
  clock.advance(milliseconds(29'999));
  leases.sweep();
  EXPECT_EQ(find()->state, RecordState::Processing);
  clock.advance(milliseconds(1));
  leases.sweep();
  EXPECT_EQ(find()->code, tool::kAbandoned);
  clock.advance(milliseconds(269'999));
  leases.sweep();
  EXPECT_EQ(find("r2")->state, RecordState::Pending);
  clock.advance(milliseconds(1));
  leases.sweep();
  EXPECT_EQ(find("r2")->code, tool::kNotPickedUp);
}

TEST_F(LeasesTest, TheTimeToPickACallUpBeginsWhenItCanBePickedUp) {
  Record record;
  record.id = "r1";
  record.made_by = tool::MadeBy::Detached;
  record.reason = tool::kWaitsForApproval;
  RecordPtr at = records.add(std::move(record), "rest:ann");
  const auto become = [&](std::string_view reason) {
    Record next = *at;
    next.reason = reason;
    next.executes = tool::Executes::Caller;
    at = records.change(std::move(next), "host").value();
  };
  clock.advance(seconds(1000));
  become("");
  clock.advance(seconds(1000));
  become(tool::kWaitsForCaller);
  clock.advance(milliseconds(299'999));
  leases.sweep();
  EXPECT_EQ(find()->state, RecordState::Pending);
  become(tool::kWaitsForCaller);  // no news: the time goes on
  clock.advance(milliseconds(1));
  leases.sweep();
  EXPECT_EQ(find()->code, tool::kNotPickedUp);
}

TEST_F(LeasesTest, ACallWhoseResponseWaitsForItsCheckIsNotAbandoned) {
  add();
  ASSERT_TRUE(beats(worker("a")));
  EXPECT_TRUE(std::holds_alternative<Leases::Refused>(leases.hold(find(), worker("b"))));
  {
    const auto held = leases.hold(find(), worker("a"));
    ASSERT_TRUE(std::holds_alternative<Leases::Held>(held));
    clock.advance(seconds(40));
    leases.sweep();
    EXPECT_EQ(find()->state, RecordState::Processing);
  }
  leases.sweep();
  EXPECT_EQ(find()->state, RecordState::Processing) << "its time begins anew";
  clock.advance(seconds(40));
  leases.sweep();
  EXPECT_EQ(find()->code, tool::kAbandoned);
}

TEST_F(LeasesTest, ACallThatWaitsForApprovalCannotBePickedUp) {
  Record record;
  record.id = "r1";
  record.made_by = tool::MadeBy::Detached;
  record.reason = tool::kWaitsForApproval;
  records.add(record, "rest:ann");
  EXPECT_FALSE(beats(worker()));
  clock.advance(seconds(1000));
  leases.sweep();
  EXPECT_EQ(find()->state, RecordState::Pending);
}

}  // namespace
}  // namespace host::task
