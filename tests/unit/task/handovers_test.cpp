#include "task/handovers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "support/manual_clock.h"
#include "support/run_loop.h"
#include "tool/call/call.h"

namespace host::task {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using tool::CallResult;
using tool::Record;
using tool::RecordState;

// An approval that a call has.
class Yes final : public tool::Receipt {
 public:
  boost::asio::awaitable<Result<void>> spend() override { co_return Result<void>(); }
  boost::asio::awaitable<void> give_back() override { co_return; }
};

class HandoversTest : public ::testing::Test {
 protected:
  // A call and what became of it.
  struct Handed {
    tool::Call call;
    std::shared_ptr<tool::Invocation> invocation = std::make_shared<tool::Invocation>();
    std::optional<Result<CallResult>> result;
  };
  using HandedPtr = std::shared_ptr<Handed>;

  HandoversTest() {
    tool::Declaration declaration;
    declaration.name = "getLocations";
    declaration.description = "Lists locations";
    declaration.input_schema = R"({"type":"object"})";
    tool = tool::Tool::make(std::move(declaration), 0).value();
    handovers.finish_by([this](const RecordPtr& record) { finished.push_back(record->id); });
    records.on_transition([this](const tool::Transition& change) { by.push_back(change.by); });
  }

  // `twin` stands for the digest that the pipeline makes.
  HandedPtr make(const std::string& arguments, const std::string& id = "c1",
                 const std::string& twin = "twin") {
    auto handed = std::make_shared<Handed>();
    auto passport = std::make_shared<tool::Passport>();
    passport->call = id;
    passport->who = {"ann", "", "s1"};
    handed->call.passport = passport;
    handed->call.arguments_text = arguments;
    handed->call.twin = twin;
    handed->call.outlives = true;
    return handed;
  }
  Result<void> prepare(const HandedPtr& handed) {
    const auto prepared = loop.start(handovers.prepare(handed->call, *tool));
    loop.turn();
    return prepared->value();
  }
  void hand_over(const HandedPtr& handed) {
    tool::Invocation& invocation = *handed->invocation;
    invocation.passport = handed->call.passport;
    invocation.tool = tool;
    invocation.outlives = handed->call.outlives;
    invocation.set_on_finish([handed = std::weak_ptr<Handed>(handed)](Result<CallResult> given) {
      if (const auto there = handed.lock()) there->result = std::move(given);
    });
    handovers.hand_over(handed->invocation);
    loop.turn();
  }
  HandedPtr begin(const std::string& arguments, const std::string& id = "c1",
                  const std::string& twin = "twin") {
    auto handed = make(arguments, id, twin);
    EXPECT_TRUE(prepare(handed));
    hand_over(handed);
    return handed;
  }
  // A call whose client waits no longer: its pipeline ends with what it was told.
  HandedPtr give_up(const std::string& id = "c1", const std::string& twin = "twin") {
    auto handed = make("{}", id, twin);
    handed->call.outlives = false;
    EXPECT_TRUE(prepare(handed));
    hand_over(handed);
    loop.drain();
    handed->call.outcome = handed->invocation->outcome;
    handovers.ended(handed->call, *handed->result);
    return handed;
  }
  // The pipeline has passed the caller's result on.
  void end(const HandedPtr& handed, const std::string& text = "filtered") {
    handovers.ended(handed->call, CallResult::text(text));
    loop.turn();
  }
  RecordPtr only_record() {
    const auto all = records.of("ann");
    EXPECT_THAT(all, SizeIs(1));
    return all.front();
  }
  RecordPtr record_with(const std::string& arguments) {
    for (const RecordPtr& record : records.of("ann")) {
      if (record->arguments == arguments) return record;
    }
    ADD_FAILURE() << arguments;
    return nullptr;
  }
  bool respond(const RecordPtr& record) {
    const auto response = json::parse(R"({"state":"COMPLETE","n":1})");
    const auto answer = leases.respond(record, {"key:1", "", {}, "rest:ann"}, response->root());
    loop.turn();
    return std::holds_alternative<RecordPtr>(answer);
  }
  bool has_twin(const std::string& twin = "twin") {
    return handovers.has_twin(make("{}", "c9", twin)->call, *tool);
  }

  test::RunLoop loop;
  test::ManualClock clock;
  Records records{loop.io.get_executor(), clock};
  std::shared_ptr<const tool::Tool> tool;
  Room room{records, {2, 2, 1u << 20u}};
  bool served = true;
  Leases leases{
      clock, records, room, {}, [this](const Record&) { return served ? tool : nullptr; }};
  Handovers handovers{loop.io.get_executor(), records, leases, room, milliseconds(0)};
  std::vector<std::string> finished;
  std::vector<std::string> by;
};

TEST_F(HandoversTest, ThePipelineMakesTheEndOfWhatACallerAnswers) {
  const auto handed = begin(R"({"a":1})");
  EXPECT_EQ(only_record()->executes, tool::Executes::Caller);
  EXPECT_EQ(only_record()->reason, tool::kWaitsForCaller);
  EXPECT_EQ(only_record()->arguments, R"({"a":1})");
  EXPECT_FALSE(handed->result);
  ASSERT_TRUE(respond(only_record()));
  ASSERT_TRUE(handed->result);
  EXPECT_EQ((*handed->result)->structured, R"({"n":1})");
  EXPECT_EQ(only_record()->state, RecordState::Processing);
  EXPECT_EQ(only_record()->result, "") << "nobody has checked it";
  EXPECT_FALSE(respond(only_record())) << "its lease is over";
  end(handed);
  EXPECT_EQ(only_record()->state, RecordState::Complete);
  EXPECT_THAT(only_record()->result, HasSubstr("filtered"));
  EXPECT_FALSE(only_record()->is_answered());
  EXPECT_EQ(by.back(), "rest:ann");
  EXPECT_FALSE(has_twin()) << "its client has the result";
  EXPECT_THAT(finished, SizeIs(0));
}

TEST_F(HandoversTest, TheEndOfADetachedCallIsItsRecorders) {
  Record own;
  own.id = "c1";
  own.principal = "ann";
  own.made_by = tool::MadeBy::Detached;
  own.arguments = R"({"as":"sent"})";
  records.add(own, "rest:ann");
  const auto handed = begin(R"({"as":"approved"})");
  EXPECT_EQ(only_record()->id, "c1");
  EXPECT_EQ(only_record()->arguments, R"({"as":"approved"})");
  EXPECT_EQ(only_record()->executes, tool::Executes::Caller);
  respond(only_record());
  EXPECT_TRUE(handed->result);
  end(handed);
  EXPECT_EQ(only_record()->state, RecordState::Processing);
}

// As after a restart, when the task's client has answered its question.
TEST_F(HandoversTest, ACallThatGoesOnWithATaskGetsARecordOfItsOwn) {
  Record task;
  task.id = "t1";
  task.principal = "ann";
  task.made_by = tool::MadeBy::TaskClient;
  task.state = RecordState::Processing;
  task.idempotency_key = "k";
  task.arguments = R"({"of":"task"})";
  records.add(task, "mcp:ann");
  const auto handed = begin(R"({"n":1})", "t1");
  EXPECT_EQ(records.find("t1")->executes, tool::Executes::Host);
  EXPECT_EQ(records.find("t1")->state, RecordState::Processing);
  const RecordPtr made = record_with(R"({"n":1})");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->reason, tool::kWaitsForCaller);
  ASSERT_TRUE(respond(made));
  ASSERT_TRUE(handed->result);
  EXPECT_EQ((*handed->result)->structured, R"({"n":1})");
  end(handed);
  EXPECT_EQ(records.find(made->id)->state, RecordState::Complete);
  EXPECT_EQ(records.find("t1")->state, RecordState::Processing) << "its own call ends it";
}

TEST_F(HandoversTest, AnApprovalIsNotUsedBeforeTheCallIsStored) {
  const auto handed = make("{}");
  handed->call.receipts.push_back(std::make_unique<Yes>());
  ASSERT_TRUE(prepare(handed));
  EXPECT_EQ(only_record()->executes, tool::Executes::Caller);
  EXPECT_EQ(only_record()->reason, "");
  EXPECT_FALSE(respond(only_record())) << "it is not announced";
  hand_over(handed);
  EXPECT_EQ(only_record()->reason, tool::kWaitsForCaller);
}

TEST_F(HandoversTest, ACallWhoseToolWasRemovedMeanwhileIsNotHandedOver) {
  const auto handed = make("{}");
  served = false;
  const auto prepared = prepare(handed);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(handed->call.outcome, tool::kToolRemoved);
  EXPECT_FALSE(handovers.ended(handed->call, prepared.error())) << "it has no record";
  EXPECT_TRUE(records.of("ann").empty());
}

TEST_F(HandoversTest, ACallThatDoesNotRunAfterAllEndsItsRecord) {
  const auto handed = make("{}");
  ASSERT_TRUE(prepare(handed));
  handed->call.outcome = "denied";
  EXPECT_TRUE(
      handovers.ended(handed->call, CallResult::error("somebody else has used the approval")))
      << "its record tells its end, and nothing else does";
  EXPECT_EQ(only_record()->code, "denied");
}

TEST_F(HandoversTest, TheSameCallGetsTheResultOfAnEarlierOne) {
  const auto handed = give_up();
  EXPECT_THAT((*handed->result)->content, HasSubstr(only_record()->id));
  EXPECT_EQ(handed->call.outcome, "pending");
  EXPECT_FALSE(has_twin("another"));
  ASSERT_TRUE(has_twin());
  respond(only_record());
  EXPECT_THAT(finished, ElementsAre(only_record()->id)) << "no call waits, so the host goes on";
  const auto again = make("{}", "c2");
  const auto joined = loop.start(handovers.join_twin(again->call, *tool));
  loop.turn();
  EXPECT_FALSE(*joined) << "the record has no end yet";
  Record next = *only_record();
  next.state = RecordState::Complete;
  next.result = R"({"content":[],"structuredContent":{"n":2},"isError":false,"_meta":{"a":1}})";
  ASSERT_TRUE(records.change(next, "host"));
  loop.turn();
  ASSERT_TRUE(*joined);
  EXPECT_EQ((**joined)->structured, R"({"n":2})");
  EXPECT_EQ((**joined)->meta, R"("a":1)");
  EXPECT_EQ(again->call.outcome, "");
  EXPECT_FALSE(has_twin()) << "one record is for one call";
  EXPECT_EQ(only_record()->twin, "");
}

TEST_F(HandoversTest, ATwinThatWaitsTooLongCanBeMetAgain) {
  give_up();
  for (int i = 0; i < 2; ++i) {
    const auto again = make("{}", "c2");
    again->call.outlives = false;
    const auto joined = loop.get(handovers.join_twin(again->call, *tool));
    ASSERT_TRUE(joined);
    EXPECT_EQ(again->call.outcome, "pending");
    EXPECT_THAT(joined->content, HasSubstr("Call again"));
    EXPECT_TRUE(has_twin());
  }
  const auto again = make("{}", "c3");
  const auto joined = loop.start(handovers.join_twin(again->call, *tool));
  loop.turn();
  again->call.cancel->request();
  loop.turn();
  ASSERT_TRUE(*joined);
  EXPECT_EQ((*joined)->error().kind, ErrorKind::Cancelled);
  EXPECT_EQ(only_record()->code, tool::kCancelled);
}

TEST_F(HandoversTest, ACallWhoseClientIsGoneKeepsItsRecordAndItsResult) {
  auto handed = make("{}");
  handed->call.unheard = std::make_shared<Cancel>();
  ASSERT_TRUE(prepare(handed));
  hand_over(handed);
  handed->call.unheard->request();
  ASSERT_TRUE(handed->result);
  handed->call.outcome = handed->invocation->outcome;
  handovers.ended(handed->call, *handed->result);
  EXPECT_EQ(only_record()->state, RecordState::Pending);
  EXPECT_TRUE(has_twin());

  handed = make(R"({"n":2})", "c2", "other");  // gone when the caller has answered
  handed->call.unheard = std::make_shared<Cancel>();
  ASSERT_TRUE(prepare(handed));
  hand_over(handed);
  ASSERT_TRUE(respond(record_with(R"({"n":2})")));
  handed->call.unheard->request();
  end(handed);
  EXPECT_TRUE(has_twin("other"));
}

TEST_F(HandoversTest, TheNextHostKnowsWhichCallsCanBeMet) {
  Record record;
  record.id = "r1";
  record.session = "s1";
  record.principal = "ann";
  record.tool = "getLocations";
  record.definition = tool->digest();
  record.twin = "twin";
  record.made_by = tool::MadeBy::WaitingCall;
  record.executes = tool::Executes::Caller;
  record.reason = tool::kWaitsForCaller;
  records.add(record, "mcp:ann");
  record.id = "r2";
  record.twin = "over";
  record.reason = "";
  record.state = RecordState::Complete;
  record.result = R"({"content":[],"isError":false})";
  records.add(record, "mcp:ann");
  handovers.take_over();
  EXPECT_TRUE(has_twin("twin"));
  EXPECT_TRUE(has_twin("over"));
  EXPECT_FALSE(has_twin(""));
  EXPECT_TRUE(loop.get(handovers.join_twin(make("{}", "c1", "over")->call, *tool)));
  EXPECT_FALSE(has_twin("over"));
}

TEST_F(HandoversTest, ACancelledCallEndsItsRecord) {
  const auto handed = begin("{}");
  handovers.take_back(handed->invocation);
  EXPECT_EQ(handed->result->error().kind, ErrorKind::Cancelled);
  EXPECT_EQ(only_record()->code, tool::kCancelled);
  handovers.ended(handed->call, *handed->result);
  EXPECT_FALSE(has_twin()) << "the same call runs";
  handovers.take_over();
  EXPECT_FALSE(has_twin()) << "also on the next host";
}

TEST_F(HandoversTest, AnEndThatIsNotTheToolsIsNotTheResultOfTheNextCall) {
  for (const auto& [code, outcome] : {std::pair(tool::kNotPickedUp, tool::kNotPickedUp),
                                      std::pair(tool::kToolError, std::string_view())}) {
    const auto handed = give_up("c1", std::string(code));
    Record next = *records.find(records.open().front()->id);
    next.state = RecordState::Processing;
    next = **records.change(next, "host");
    next.state = RecordState::Error;
    next.code = code;
    ASSERT_TRUE(records.change(next, "host"));
    loop.turn();
    const auto again = make("{}", "c2", std::string(code));
    EXPECT_TRUE(loop.get(handovers.join_twin(again->call, *tool)));
    EXPECT_EQ(again->call.outcome, outcome);
  }
}

TEST_F(HandoversTest, AStoppingHostLeavesRecordsToTheNext) {
  const auto handed = begin("{}");
  handovers.end_waits();
  ASSERT_TRUE(handed->result);
  EXPECT_EQ(only_record()->state, RecordState::Pending);
}

TEST_F(HandoversTest, WithoutRoomTheCallIsNotHandedOver) {
  begin(R"({"n":1})", "c1", "1");
  const auto second = begin(R"({"n":2})", "c2", "2");
  const auto third = make(R"({"n":3})", "c3", "3");
  const auto refused = prepare(third);
  ASSERT_FALSE(refused);
  EXPECT_EQ(third->call.outcome, "busy");
  EXPECT_THAT(refused.error().message, HasSubstr("limits.detached_calls_per_principal"));
  ASSERT_TRUE(respond(record_with(R"({"n":2})")));
  end(second);
  EXPECT_TRUE(prepare(make(R"({"n":3})", "c4", "3"))) << "the ended call made room";
  EXPECT_THAT(records.of("ann"), SizeIs(2));
}

}  // namespace
}  // namespace host::task
