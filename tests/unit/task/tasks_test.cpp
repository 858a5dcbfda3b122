#include "task/tasks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/manual_clock.h"
#include "support/run_loop.h"
#include "task/room.h"
#include "tool/call/edits.h"
#include "tool/definition/unbegun.h"
#include "unit/task/fake_claims.h"

namespace host::task {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using tool::Task;

const std::string kForm = R"({"mode":"form","message":"?","requestedSchema":{"type":"object",)"
                          R"("properties":{"n":{"type":"string"}},"required":["n"]}})";

tool::Round round_of(std::initializer_list<const char*> keys) {
  tool::Round round;
  for (const char* key : keys) round.questions.push_back({key, "elicitation/create", kForm});
  return round;
}

std::string accepted(std::string_view name) {
  return R"({"action":"accept","content":{"n":")" + std::string(name) + R"("}})";
}

class TasksTest : public ::testing::Test {
 protected:
  Task create(const std::string& who = "ann") {
    wish = std::make_shared<Cancel>();
    return tasks.create({who, "dig"}, wish).value();
  }
  Task find(const std::string& id) { return tasks.find(id, "ann").value(); }
  std::vector<std::string> keys(const std::string& id) {
    std::vector<std::string> keys;
    for (const tool::Question& question : find(id).questions) keys.push_back(question.key);
    return keys;
  }
  Result<void> answer(const std::string& id, const std::string& responses) {
    const auto tree = json::parse(responses);
    return tasks.answer(id, {{"ann", ""}, {}}, tree->root());
  }
  auto ask(const std::string& id, tool::Round round) {
    auto asked = loop.start(tasks.ask(id, std::move(round)));
    loop.turn();
    return asked;
  }

  test::RunLoop loop;
  test::ManualClock clock;
  Records records{loop.io.get_executor(), clock};
  Tasks tasks{loop.io.get_executor(), clock, records, {3, 2, seconds(60), milliseconds(500), 100}};
  std::shared_ptr<Cancel> wish;
};

TEST_F(TasksTest, ATaskWorksUntilItsCallEnds) {
  const Task made = create();
  EXPECT_EQ(made.status, Task::Status::Working);
  EXPECT_GE(made.id.size(), 22u);
  clock.advance(seconds(2));
  tasks.end(made.id, Tasks::End::Completed, R"({"content":[]})");
  const Task ended = find(made.id);
  EXPECT_EQ(ended.status, Task::Status::Completed);
  EXPECT_EQ(ended.outcome, R"({"content":[]})");
  EXPECT_EQ(ended.updated - ended.created, seconds(2));
  EXPECT_EQ(tasks.running(), 0u);
}

TEST_F(TasksTest, ATaskKeepsTheContextOfItsCall) {
  Tasks::NewTask made;
  made.principal = "ann";
  made.tool = "dig";
  made.context = R"({"values":{"tenant":"7"}})";
  const Task task = tasks.create(made, std::make_shared<Cancel>()).value();
  EXPECT_EQ(records.find(task.id)->context, made.context);
}

TEST_F(TasksTest, AnEndIsTheLastWord) {
  const Task made = create();
  tasks.end(made.id, Tasks::End::Failed, R"({"code":-32603})");
  tasks.end(made.id, Tasks::End::Completed, "{}");
  ASSERT_TRUE(tasks.cancel(made.id, "ann"));
  EXPECT_EQ(find(made.id).status, Task::Status::Failed);
  EXPECT_EQ(find(made.id).outcome, R"({"code":-32603})");
  EXPECT_FALSE(wish->requested());
}

TEST_F(TasksTest, ForeignUnknownAndExpiredIdsAreToldAlike) {
  const Task made = create();
  const Error foreign = tasks.find(made.id, "bob").error();
  const Error unknown = tasks.find("no-such", "ann").error();
  EXPECT_EQ(foreign.kind, ErrorKind::NotFound);
  EXPECT_EQ(foreign.message, unknown.message);
  EXPECT_EQ(tasks.cancel(made.id, "bob").error().message, unknown.message);
  EXPECT_FALSE(wish->requested());
  clock.advance(seconds(60));
  EXPECT_EQ(tasks.find(made.id, "ann").error().message, unknown.message);
}

TEST_F(TasksTest, ATaskIsKeptForAllOfItsTimeAndThenStopped) {
  const Task made = create();
  clock.advance(milliseconds(59'999));
  EXPECT_TRUE(tasks.find(made.id, "ann"));
  EXPECT_FALSE(wish->requested());
  clock.advance(milliseconds(1));
  EXPECT_FALSE(tasks.find(made.id, "ann"));
  loop.turn();
  EXPECT_TRUE(wish->requested());
  tasks.end(made.id, Tasks::End::Completed, "{}");  // too late
  EXPECT_FALSE(tasks.find(made.id, "ann"));
  EXPECT_EQ(records.sizes().tasks, 0u);
}

TEST_F(TasksTest, ATaskThatExpiresWhileItRunsHasAnEndWhoeverRemovesIt) {
  std::vector<std::string> ends;
  records.on_transition([&](const tool::Transition& one) {
    if (one.to == tool::RecordState::Error) ends.push_back(one.record + " " + one.why);
  });
  Room room(records, {});
  const Task made = create();
  clock.advance(seconds(60));
  ASSERT_TRUE(room.make("bob", 0));
  loop.turn();
  EXPECT_TRUE(wish->requested());
  EXPECT_THAT(ends, ElementsAre(made.id + " expired"));
  ASSERT_TRUE(room.make("bob", 0));
  EXPECT_EQ(records.sizes().tasks, 0u);
}

TEST_F(TasksTest, ACancelNamesWhoGaveIt) {
  std::vector<std::string> givers;
  records.on_transition([&](const tool::Transition& one) {
    if (one.to == tool::RecordState::Error) givers.push_back(one.by);
  });
  ASSERT_TRUE(tasks.cancel(create().id, "ann"));
  ASSERT_TRUE(tasks.cancel(create().id, "ann", "cli:root"));
  loop.turn();
  EXPECT_THAT(givers, ElementsAre("mcp:ann", "cli:root"));
}

TEST_F(TasksTest, CancelStopsTheCallAndIsAllowedTwice) {
  const Task made = create();
  ASSERT_TRUE(tasks.cancel(made.id, "ann"));
  EXPECT_TRUE(wish->requested());
  ASSERT_TRUE(tasks.cancel(made.id, "ann"));
  tasks.end(made.id, Tasks::End::Completed, "{}");
  EXPECT_EQ(find(made.id).status, Task::Status::Cancelled);
}

TEST_F(TasksTest, TheCallWaitsUntilEveryQuestionIsAnswered) {
  const Task made = create();
  const auto asked = ask(made.id, round_of({"a", "b"}));
  EXPECT_EQ(find(made.id).status, Task::Status::InputRequired);
  ASSERT_THAT(keys(made.id), ElementsAre("1:a", "2:b"));

  ASSERT_TRUE(answer(made.id, R"({"2:b":)" + accepted("B") + R"(,"stranger":{"x":1}})"));
  loop.turn();
  EXPECT_FALSE(*asked);
  EXPECT_EQ(find(made.id).status, Task::Status::InputRequired);
  EXPECT_THAT(keys(made.id), ElementsAre("1:a"));

  ASSERT_TRUE(answer(made.id, R"({"1:a":)" + accepted("A") + "}"));
  loop.turn();
  ASSERT_TRUE(*asked);
  EXPECT_EQ(find(made.id).status, Task::Status::Working);
  EXPECT_THAT((*asked)->value(), ElementsAre(Pair("a", accepted("A")), Pair("b", accepted("B"))));
}

TEST_F(TasksTest, NoKeyIsUsedTwice) {
  const Task made = create();
  const auto first = ask(made.id, round_of({"a"}));
  ASSERT_TRUE(answer(made.id, R"({"1:a":)" + accepted("A") + "}"));
  loop.turn();
  const auto second = ask(made.id, round_of({"a"}));
  EXPECT_THAT(keys(made.id), ElementsAre("2:a"));
  ASSERT_TRUE(answer(made.id, R"({"1:a":)" + accepted("late") + "}"));
  loop.turn();
  EXPECT_FALSE(*second);
}

TEST_F(TasksTest, WhatIsNoAnswerIsRefusedWholeAndABrokenFormStaysOpen) {
  const Task made = create();
  const auto asked = ask(made.id, round_of({"a", "b"}));
  const auto refused =
      answer(made.id, R"({"1:a":)" + accepted("A") + R"(,"2:b":{"nonsense":true}})");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::InvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("2:b"));
  EXPECT_THAT(keys(made.id), ElementsAre("1:a", "2:b"));

  ASSERT_TRUE(answer(made.id, R"({"1:a":{"action":"accept","content":{"n":7}}})"));
  EXPECT_THAT(keys(made.id), ElementsAre("1:a", "2:b"));
  ASSERT_TRUE(answer(made.id, R"({"1:a":{"action":"decline"}})"));
  EXPECT_THAT(keys(made.id), ElementsAre("2:b"));
}

TEST_F(TasksTest, AQuestionEndsWithItsTask) {
  const Task made = create();
  const auto asked = ask(made.id, round_of({"a"}));
  ASSERT_TRUE(tasks.cancel(made.id, "ann"));
  loop.turn();
  ASSERT_TRUE(*asked);
  EXPECT_EQ((*asked)->error().kind, ErrorKind::Cancelled);
  EXPECT_TRUE(find(made.id).questions.empty());
  ASSERT_TRUE(answer(made.id, R"({"1:a":)" + accepted("A") + "}"));
  EXPECT_EQ(find(made.id).status, Task::Status::Cancelled);

  const auto late = ask(made.id, round_of({"a"}));
  ASSERT_TRUE(*late);
  EXPECT_EQ((*late)->error().kind, ErrorKind::Cancelled);
}

TEST_F(TasksTest, WhoEndsTheCallEndsItsQuestion) {
  for (const auto by : {Cancel::By::Operator, Cancel::By::Credential}) {
    const Task made = create();
    const auto asked = ask(made.id, round_of({"a"}));
    EXPECT_FALSE(*asked);
    wish->request(by);
    loop.turn();
    ASSERT_TRUE(*asked);
    EXPECT_EQ((*asked)->error().kind, ErrorKind::Cancelled);
    tasks.end(made.id, Tasks::End::Completed, R"({"content":[],"isError":true})");
    EXPECT_EQ(find(made.id).status, Task::Status::Completed);
  }
  // A call that was ended before it asks does not wait.
  const Task made = create("bob");
  wish->request(Cancel::By::Operator);
  const auto asked = ask(made.id, round_of({"a"}));
  EXPECT_TRUE(*asked);
}

TEST_F(TasksTest, ACallWhoseToolNeedsNoMoreAnswersContinuesWithThoseThatItHas) {
  const Task made = create();
  tool::Round round = round_of({"a", "b"});
  round.over = std::make_shared<Cancel>();
  const auto over = round.over;
  const auto asked = ask(made.id, round);
  ASSERT_TRUE(answer(made.id, R"({"1:a":)" + accepted("A") + "}"));
  loop.turn();
  EXPECT_FALSE(*asked);
  over->request();
  loop.turn();
  ASSERT_TRUE(*asked);
  EXPECT_THAT((*asked)->value(), ElementsAre(Pair("a", accepted("A"))));
  EXPECT_EQ(find(made.id).status, Task::Status::Working);
  EXPECT_THAT(keys(made.id), ElementsAre());
  // A round that is over before it is asked.
  int shown = 0;
  tasks.on_change([&](const Task&) { ++shown; });
  const auto late = ask(made.id, round);
  EXPECT_TRUE(*late);
  EXPECT_EQ(shown, 0) << "nobody is shown its questions";
  EXPECT_EQ(find(made.id).status, Task::Status::Working);
}

TEST_F(TasksTest, AStopOfTheHostLeavesAQuestionOpen) {
  const Task made = create();
  const auto asked = ask(made.id, round_of({"a"}));
  wish->request(Cancel::By::Stop);
  loop.turn();
  EXPECT_FALSE(*asked);
  EXPECT_EQ(find(made.id).status, Task::Status::InputRequired);
  tasks.end(made.id, Tasks::End::Failed, "{}");
}

TEST_F(TasksTest, ATaskKeepsItsKeyWhileItWaitsAlsoOverARestart) {
  FakeClaims claims;
  tasks.keep_keys_by(claims);
  wish = std::make_shared<Cancel>();
  Tasks::NewTask made{"ann", "dig"};
  made.definition = "d";
  made.idempotency_key = "k";
  made.call = "c1";
  const std::string id = tasks.create(std::move(made), wish).value().id;
  create();  // without a key
  EXPECT_EQ(records.find(id)->claim, "digest");
  const auto asked = ask(id, round_of({"who"}));
  EXPECT_EQ(records.find(id)->claim, "digest");
  EXPECT_THAT(claims.told, ElementsAre("ann c1 is " + id));
  claims.told.clear();

  Tasks next{loop.io.get_executor(), clock, records, {}};
  next.keep_keys_by(claims);
  next.take_over();
  EXPECT_THAT(claims.told, ElementsAre("hold dig/k digest " + id));
  claims.told.clear();
  ASSERT_TRUE(next.cancel(id, "ann"));
  loop.turn();
  EXPECT_THAT(claims.told, ::testing::Contains("release dig/k " + id));
}

TEST_F(TasksTest, ABegunTaskKeepsItsKeyIfItEndsAfterARestart) {
  FakeClaims claims;
  tasks.keep_keys_by(claims);
  for (const bool asks_at_the_end : {true, false}) {
    Tasks::NewTask made{"ann", "dig"};
    made.definition = "d";
    made.idempotency_key = "k";
    const std::string id = tasks.create(std::move(made), std::make_shared<Cancel>()).value().id;
    const tool::Continuation before{"one", {{std::string(tool::kMustNotRepeat), "true"}}};
    const auto asked = loop.start(tasks.ask(id, round_of({"who"}), before));
    loop.turn();
    if (!asks_at_the_end) {
      ASSERT_TRUE(answer(id, R"({"1:who":)" + accepted("x") + "}"));
    }
    loop.turn();
    claims.told.clear();
    Tasks next{loop.io.get_executor(), clock, records, {}};
    next.keep_keys_by(claims);
    next.take_over();
    EXPECT_THAT(claims.told, ::testing::Contains("hold dig/k digest " + id));
    ASSERT_TRUE(next.cancel(id, "ann"));
    loop.turn();
    EXPECT_THAT(claims.told, ::testing::Contains("keep dig/k " + id));
  }
}

TEST_F(TasksTest, WhatATaskKeepsWhileItAsksCountsUntilItEnds) {
  const Task made = create();
  const tool::Continuation before{"", {{std::string(tool::kRunArguments), std::string(90, ' ')}}};
  const auto asked = loop.start(tasks.ask(made.id, round_of({"who"}), before));
  loop.turn();
  const auto refused = tasks.create({"ann", "dig"}, std::make_shared<Cancel>());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("limits.detached_bytes_per_principal"));
  tasks.end(made.id, Tasks::End::Completed, "{}");
  loop.turn();
  EXPECT_TRUE(tasks.create({"ann", "dig"}, std::make_shared<Cancel>()));
}

// The task ends with its result alone, which fits.
TEST_F(TasksTest, WhatATaskKeptWhileItAskedLeavesRoomForItsResult) {
  Tasks::NewTask large{"ann", "dig"};
  large.arguments = std::string(70, ' ');
  const Task made = tasks.create(large, std::make_shared<Cancel>()).value();
  const tool::Continuation before{"", {{std::string(tool::kRunArguments), std::string(70, ' ')}}};
  const auto asked = loop.start(tasks.ask(made.id, round_of({"who"}), before));
  loop.turn();
  tasks.end(made.id, Tasks::End::Completed, std::string(70, ' '));
  loop.turn();
  EXPECT_EQ(find(made.id).status, Task::Status::Completed);
}

TEST_F(TasksTest, ATaskThatIsCancelledOrExpiresKeepsNoArgumentsOfItsRun) {
  const tool::Continuation before{"", {{std::string(tool::kRunArguments), "{}"}}};
  for (const bool is_cancelled : {true, false}) {
    const Task made = create();
    const auto asked = loop.start(tasks.ask(made.id, round_of({"who"}), before));
    loop.turn();
    ASSERT_TRUE(records.find(made.id)->continuation.answers.contains(tool::kRunArguments));
    if (is_cancelled) {
      ASSERT_TRUE(tasks.cancel(made.id, "ann"));
    } else {
      clock.advance(seconds(60));
      records.expire();
    }
    const auto ended = records.find(made.id);
    ASSERT_TRUE(ended && ended->is_over()) << is_cancelled;
    EXPECT_FALSE(ended->continuation.answers.contains(tool::kRunArguments)) << is_cancelled;
    loop.turn();
  }
}

TEST_F(TasksTest, ThereAreSoManyForOneAndSoManyInAll) {
  const Task first = create("ann");
  create("ann");
  const auto third = tasks.create({"ann", "dig"}, std::make_shared<Cancel>());
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().kind, ErrorKind::Unavailable);
  EXPECT_THAT(third.error().message, HasSubstr("limits.tasks_per_principal"));
  create("bob");
  EXPECT_THAT(tasks.create({"cid", "dig"}, std::make_shared<Cancel>()).error().message,
              AllOf(HasSubstr("limits.tasks"), HasSubstr("later")));
  tasks.end(first.id, Tasks::End::Completed, "{}");
  EXPECT_FALSE(tasks.create({"cid", "dig"}, std::make_shared<Cancel>()))
      << "a result that was promised is kept";
  clock.advance(seconds(60));
  EXPECT_FALSE(tasks.find(first.id, "ann"));
  loop.turn();  // the ends of those that ran are stored
  EXPECT_TRUE(tasks.create({"cid", "dig"}, std::make_shared<Cancel>()));
}

TEST_F(TasksTest, TheBytesOfAPrincipalsTasksAreLimited) {
  const Task first = create();
  tasks.end(first.id, Tasks::End::Completed, std::string(60, ' '));
  const Task second = create();
  tasks.end(second.id, Tasks::End::Completed, std::string(90, ' '));
  EXPECT_EQ(find(second.id).status, Task::Status::Completed) << "it has run, and has its result";
  const Task of_bob = create("bob");
  tasks.end(of_bob.id, Tasks::End::Completed, std::string(201, ' '));
  EXPECT_EQ(tasks.find(of_bob.id, "bob")->status, Task::Status::Failed);
  EXPECT_THAT(tasks.find(of_bob.id, "bob")->outcome,
              HasSubstr("limits.detached_bytes_per_principal"));
  EXPECT_EQ(records.find(of_bob.id)->code, "result_too_large");
  clock.advance(seconds(60));
  EXPECT_FALSE(tasks.find(first.id, "ann"));
  loop.turn();
  Tasks::NewTask large;
  large.principal = "ann";
  large.arguments = std::string(101, ' ');
  const auto refused = tasks.create(large, std::make_shared<Cancel>());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Unavailable);
  EXPECT_TRUE(tasks.create({"ann", "dig"}, std::make_shared<Cancel>()));
}

TEST_F(TasksTest, AStopCancelsAllThatRun) {
  const Task waiting = create();
  const auto asked = ask(waiting.id, round_of({"a"}));
  const auto first_wish = wish;
  const Task working = create();
  tasks.stop();
  loop.drain();  // nothing keeps the loop
  EXPECT_TRUE(first_wish->requested());
  EXPECT_TRUE(wish->requested());
  EXPECT_EQ(tasks.running(), 0u);
  EXPECT_EQ(find(working.id).status, Task::Status::Cancelled);
  EXPECT_EQ((*asked)->error().kind, ErrorKind::Cancelled);
}

TEST_F(TasksTest, OtherRecordsKnowNothing) {
  const Task made = create();
  Records fresh(loop.io.get_executor(), clock);
  Tasks after_restart(loop.io.get_executor(), clock, fresh, {});
  EXPECT_EQ(after_restart.find(made.id, "ann").error().kind, ErrorKind::NotFound);
}

}  // namespace
}  // namespace host::task
