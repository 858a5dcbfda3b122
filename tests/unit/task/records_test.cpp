#include "task/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "store/store.h"
#include "support/manual_clock.h"
#include "support/run_loop.h"
#include "task/tasks.h"

namespace host::task {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using ::testing::ElementsAre;
using tool::Record;
using tool::RecordState;

class RecordsTest : public ::testing::Test {
 protected:
  RecordsTest() {
    std::string name = (fs::temp_directory_path() / "records-test-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    restart();
  }
  ~RecordsTest() override {
    stop();
    fs::remove_all(folder);
  }

  void stop() {
    loop.drain();  // what is on its way to the store
    records.reset();
    if (desk) desk->stop();
    desk.reset();
    loop.drain();
  }
  void restart() {
    stop();
    desk = std::make_shared<store::Desk>(loop.io.get_executor(), [this] {
      return store::open_sqlite_store(folder / "toolpost.db", clock);
    });
    records = std::make_unique<Records>(loop.io.get_executor(), clock);
    ASSERT_TRUE(records->keep_in(desk, "o"));
  }
  RecordPtr add(const std::string& id, const std::string& session = "s") {
    Record record;
    record.id = id;
    record.session = session;
    record.principal = "ann";
    return records->add(std::move(record), "rest:ann");
  }
  Result<RecordPtr> move_to(const std::string& id, RecordState state) {
    Record next = *records->find(id);
    next.state = state;
    return records->change(std::move(next), "host");
  }
  Result<void> kept(const std::string& id) { return loop.get(records->kept(id)); }

  test::RunLoop loop;
  test::ManualClock clock;
  fs::path folder;
  std::shared_ptr<store::Desk> desk;
  std::unique_ptr<Records> records;
};

TEST_F(RecordsTest, AChangeIsVisibleAtOnceAndStoredWhenKept) {
  add("r1");
  ASSERT_TRUE(move_to("r1", RecordState::Processing));
  EXPECT_EQ(records->find("r1")->state, RecordState::Processing);
  ASSERT_TRUE(kept("r1"));
  restart();
  EXPECT_EQ(records->find("r1")->state, RecordState::Processing);
  EXPECT_EQ(records->find("r1")->version, 2u);
}

TEST_F(RecordsTest, OpenRecordsAreFoundByTheirSession) {
  const auto open_in = [&](std::string_view session) {
    std::set<std::string> ids;
    for (const RecordPtr& record : records->open_in(session)) {
      EXPECT_EQ(record, records->find(record->id)) << "the newest version";
      ids.insert(record->id);
    }
    return ids;
  };
  add("r1");
  add("r2");
  add("r3", "other");
  add("r4", "");
  ASSERT_TRUE(move_to("r1", RecordState::Processing));
  EXPECT_THAT(open_in("s"), ElementsAre("r1", "r2"));
  ASSERT_TRUE(move_to("r1", RecordState::Complete));
  EXPECT_THAT(open_in("s"), ElementsAre("r2"));
  EXPECT_THAT(open_in("other"), ElementsAre("r3"));
  EXPECT_EQ(records->open().size(), 3u);
  for (const std::string id : {"r1", "r2", "r3", "r4"}) ASSERT_TRUE(kept(id));
  restart();
  EXPECT_THAT(open_in("s"), ElementsAre("r2"));
  records->remove({"r1"});
  EXPECT_EQ(records->open().size(), 3u);
}

TEST_F(RecordsTest, ARecordIsAddedOnceTheStoreHasItWhateverElseIsNotStored) {
  add("r1");
  const auto added = [&] { return loop.get(records->added("r1")); };
  EXPECT_TRUE(added());
  ASSERT_TRUE(move_to("r1", RecordState::Processing));
  EXPECT_TRUE(added());
  EXPECT_FALSE(records->withdraw("r1")) << "it is accepted";
  records->remove({"r1"});
  EXPECT_TRUE(added()) << "its end is not stored";
  ASSERT_TRUE(move_to("r1", RecordState::Complete));
  ASSERT_TRUE(kept("r1"));
  records->remove({"r1"});
  EXPECT_EQ(added().error().kind, ErrorKind::Cancelled);
}

TEST_F(RecordsTest, StatesOnlyMoveAsTheTableSays) {
  add("r1");
  ASSERT_TRUE(move_to("r1", RecordState::Processing));
  ASSERT_TRUE(move_to("r1", RecordState::Complete));
  for (const RecordState state :
       {RecordState::Pending, RecordState::Processing, RecordState::Error, RecordState::Complete}) {
    EXPECT_FALSE(move_to("r1", state));
  }
  Record client;
  client.id = "r2";
  client.executes = tool::Executes::Caller;
  records->add(client, "rest:ann");
  EXPECT_FALSE(move_to("r2", RecordState::Complete)) << "nobody has picked it up";
  ASSERT_TRUE(move_to("r2", RecordState::Processing));
  EXPECT_FALSE(move_to("r2", RecordState::Pending));
}

TEST_F(RecordsTest, AChangeOfAnOldCopyIsRefused) {
  add("r1");
  Record stale = *records->find("r1");
  ASSERT_TRUE(move_to("r1", RecordState::Processing));
  stale.state = RecordState::Error;
  EXPECT_FALSE(records->change(stale, "host"));
  EXPECT_EQ(records->find("r1")->state, RecordState::Processing);
}

TEST_F(RecordsTest, TransitionsAreReportedInOrderOnceTheyAreStored) {
  std::vector<std::uint64_t> reported;
  records->on_transition([&](const tool::Transition& one) { reported.push_back(one.seq); });
  add("r1");
  ASSERT_TRUE(move_to("r1", RecordState::Processing));
  add("r2");
  EXPECT_TRUE(reported.empty());
  ASSERT_TRUE(kept("r1"));
  EXPECT_THAT(reported, ElementsAre(1, 2, 3));
  const auto found = loop.get(records->transitions_after("s", 1, 10)).value();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].record, "r1");
  EXPECT_EQ(found[0].from, RecordState::Pending);
  EXPECT_EQ(found[0].to, RecordState::Processing);
  EXPECT_EQ(found[0].by, "host");
  EXPECT_EQ(found[1].from, std::nullopt);
}

TEST_F(RecordsTest, AnotherHostsChangeWins) {
  add("r1");
  ASSERT_TRUE(kept("r1"));
  Records other(loop.io.get_executor(), clock);
  ASSERT_TRUE(other.keep_in(desk, "o"));
  Record theirs = *other.find("r1");
  theirs.state = RecordState::Error;
  ASSERT_TRUE(other.change(std::move(theirs), "host"));
  ASSERT_TRUE(loop.get(other.kept("r1")));
  ASSERT_TRUE(move_to("r1", RecordState::Processing));
  EXPECT_FALSE(kept("r1"));
  loop.drain();
  EXPECT_EQ(records->find("r1")->state, RecordState::Error);
  EXPECT_TRUE(kept("r1"));
}

TEST_F(RecordsTest, HeartbeatsAreStoredTogetherAndChangeNoVersion) {
  add("r1");
  ASSERT_TRUE(move_to("r1", RecordState::Processing));
  ASSERT_TRUE(kept("r1"));
  clock.advance(seconds(3));
  records->beat("r1", 42);
  EXPECT_EQ(records->last_beat("r1").at, clock.wall());
  EXPECT_EQ(records->find("r1")->version, 2u);
  records->flush_beats();
  restart();
  EXPECT_EQ(records->find("r1")->heartbeat, clock.wall());
  EXPECT_EQ(records->find("r1")->client_clock, 42u);
}

TEST_F(RecordsTest, AfterARestartTheTimeOfAHeartbeatCountsAnew) {
  add("r1");
  ASSERT_TRUE(move_to("r1", RecordState::Processing));
  ASSERT_TRUE(kept("r1"));
  clock.advance(seconds(100));
  restart();
  EXPECT_EQ(records->last_beat("r1").steady, clock.steady());
}

TEST_F(RecordsTest, AnExpiredRecordIsRemovedHereAndInTheStore) {
  Record record;
  record.id = "r1";
  record.principal = "ann";
  record.expires = clock.wall() + seconds(60);
  records->add(record, "host");
  EXPECT_EQ(records->sizes_of("ann").tasks, 1u);
  clock.advance(seconds(60));
  records->expire();
  EXPECT_EQ(records->find("r1")->code, "expired") << "its end is told first";
  loop.drain();
  records->expire();
  EXPECT_EQ(records->find("r1"), nullptr);
  EXPECT_EQ(records->sizes_of("ann").tasks, 0u);
  restart();
  EXPECT_EQ(records->find("r1"), nullptr);
}

TEST_F(RecordsTest, AQuestionSurvivesTheHostAndItsAnswersRunTheCallAgain) {
  const std::string form =
      R"({"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}})";
  std::string id;
  {
    Tasks tasks(loop.io.get_executor(), clock, *records, {});
    const auto made =
        tasks.create({"ann", "dig", "coder", R"({"a":1})", "digest"}, std::make_shared<Cancel>());
    id = made->id;
    const auto running =
        tasks.create({"ann", "dig", "", "{}", "digest"}, std::make_shared<Cancel>());
    tool::Round round{{{"q", "elicitation/create", form}}, "state"};
    const auto asked = loop.start(tasks.ask(id, round, {"before", {{"p", R"({"x":1})"}}}));
    loop.turn();
    tasks.stop();
    loop.drain();
    EXPECT_EQ((*asked)->error().kind, ErrorKind::Cancelled);
    EXPECT_EQ(tasks.find(running->id, "ann")->status, tool::Task::Status::Cancelled);
    ASSERT_TRUE(kept(id));
  }
  restart();
  Tasks tasks(loop.io.get_executor(), clock, *records, {});
  RecordPtr resumed;
  tool::Continuation from;
  tasks.on_resume([&](const RecordPtr& record, tool::Continuation continuation, auto, auto&) {
    resumed = record;
    from = std::move(continuation);
  });
  tasks.take_over();
  ASSERT_EQ(tasks.find(id, "ann")->status, tool::Task::Status::InputRequired);
  const auto answers = json::parse(R"({"1:q":{"action":"accept","content":{}}})");
  ASSERT_TRUE(tasks.answer(id, {{"ann", ""}, {}}, answers->root()));
  ASSERT_TRUE(resumed);
  EXPECT_EQ(resumed->arguments, R"({"a":1})");
  EXPECT_EQ(resumed->agent, "coder");
  EXPECT_EQ(from.state, "state");
  EXPECT_THAT(from.answers,
              ElementsAre(std::pair<const std::string, std::string>("p", R"({"x":1})"),
                          std::pair<const std::string, std::string>(
                              "q", R"({"action":"accept","content":{}})")));
  tasks.end(id, Tasks::End::Completed, R"({"content":[]})");
  EXPECT_EQ(tasks.find(id, "ann")->status, tool::Task::Status::Completed);
}

TEST_F(RecordsTest, AQuestionOfTheHostKeepsTheStateOfTheToolOfItsTask) {
  const std::string form =
      R"({"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}})";
  std::string id;
  {
    Tasks tasks(loop.io.get_executor(), clock, *records, {});
    id = tasks.create({"ann", "dig", "coder", "{}", "digest"}, std::make_shared<Cancel>())->id;
    tool::Round round{{{"toolpost.approval.1", "elicitation/create", form}}, {}};
    const auto asked = loop.start(tasks.ask(id, round, {"of the tool", {}}));
    loop.turn();
    tasks.stop();
    loop.drain();
    ASSERT_TRUE(kept(id));
  }
  restart();
  Tasks tasks(loop.io.get_executor(), clock, *records, {});
  tool::Continuation from;
  tasks.on_resume([&](const RecordPtr&, tool::Continuation continuation, auto, auto&) {
    from = std::move(continuation);
  });
  tasks.take_over();
  const auto answers = json::parse(R"({"1:toolpost.approval.1":{"action":"accept","content":{}}})");
  ASSERT_TRUE(tasks.answer(id, {{"ann", ""}, {}}, answers->root()));
  EXPECT_EQ(from.state, "of the tool");
  tasks.end(id, Tasks::End::Completed, R"({"content":[]})");
}

TEST_F(RecordsTest, ACallThatRanHasFailedWithItsHost) {
  {
    Tasks tasks(loop.io.get_executor(), clock, *records, {});
    const auto made = tasks.create({"ann", "dig"}, std::make_shared<Cancel>());
    ASSERT_TRUE(kept(made->id));
  }
  restart();
  Tasks tasks(loop.io.get_executor(), clock, *records, {});
  const std::string id = records->open().front()->id;
  tasks.take_over();
  EXPECT_EQ(tasks.find(id, "ann")->status, tool::Task::Status::Failed);
}

}  // namespace
}  // namespace host::task
