#include "store/client_context_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "store/store.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;

class ClientContextStoreTest : public ::testing::Test {
 protected:
  ClientContextStoreTest() {
    std::string name = (fs::temp_directory_path() / "session-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    store_ = open();
  }
  ~ClientContextStoreTest() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  std::shared_ptr<Store> open() {
    return open_sqlite_store(folder_ / "toolpost.db", system_clock()).value();
  }
  static WallTime at(int seconds) { return WallTime(std::chrono::seconds(1'000'000 + seconds)); }
  static ClientContextRecord session(const std::string& id, const std::string& owner, int used) {
    return {id, "anna", "coder", owner, "2025-11-25", 5, 3, {"a://b", "c://d"}, at(0), at(used)};
  }
  static tool::Task task(const std::string& id) {
    tool::Task made;
    made.id = id;
    made.principal = "anna";
    made.tool = "slow";
    made.status = tool::Task::Status::InputRequired;
    made.created = at(0);
    made.updated = at(1);
    made.ttl = std::chrono::seconds(60);
    made.poll_interval = std::chrono::seconds(2);
    made.questions = {{"1:q", "elicitation/create", R"({"message":"\"yes\"?"})"}};
    made.asked = 1;
    made.outcome = R"({"content":[]})";
    return made;
  }

  fs::path folder_;
  std::shared_ptr<Store> store_;
};

TEST_F(ClientContextStoreTest, KeepsThemForTheirOwnerOverTheProcess) {
  ClientContextStore& sessions = store_->client_contexts();
  ASSERT_TRUE(sessions.put(session("s1", "127.0.0.1:1", 9)));
  ASSERT_TRUE(sessions.put(session("s2", "127.0.0.1:1", 5)));
  ASSERT_TRUE(sessions.put(session("s3", "127.0.0.1:2", 7)));
  store_ = open();
  const auto mine = store_->client_contexts().list("127.0.0.1:1").value();
  ASSERT_EQ(mine.size(), 2u);
  EXPECT_EQ(mine[0], session("s2", "127.0.0.1:1", 5));
  EXPECT_EQ(mine[1], session("s1", "127.0.0.1:1", 9));
  EXPECT_EQ(store_->client_contexts().list("").value().size(), 3u);
}

TEST_F(ClientContextStoreTest, UsesAndEndsAreOfWhatIsThere) {
  ClientContextStore& sessions = store_->client_contexts();
  ASSERT_TRUE(sessions.put(session("s1", "o", 1)));
  ASSERT_TRUE(sessions.put(session("s2", "o", 2)));
  ASSERT_TRUE(sessions.used({{"s1", at(8)}, {"gone", at(9)}}));
  const auto all = sessions.list("o").value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.back().id, "s1");
  EXPECT_EQ(all.back().used, at(8));
  EXPECT_TRUE(sessions.remove("s1").value());
  EXPECT_FALSE(sessions.remove("s1").value());
  ASSERT_TRUE(sessions.forget_unused_since(at(3)));
  EXPECT_TRUE(sessions.list("o").value().empty());
}

TEST_F(ClientContextStoreTest, SeesWhatAnotherProcessTakesOut) {
  ASSERT_TRUE(store_->client_contexts().put(session("s1", "o", 1)));
  store_->client_contexts().changed_by_others().value();
  EXPECT_FALSE(store_->client_contexts().changed_by_others().value());
  EXPECT_TRUE(open()->client_contexts().remove("s1").value());
  EXPECT_TRUE(store_->client_contexts().changed_by_others().value());
  EXPECT_FALSE(store_->client_contexts().changed_by_others().value());
}

TEST_F(ClientContextStoreTest, TasksComeBackAsTheyWere) {
  ASSERT_TRUE(store_->tasks().put(task("t1"), "o"));
  tool::Task over = task("t2");
  over.status = tool::Task::Status::Completed;
  over.questions.clear();
  ASSERT_TRUE(store_->tasks().put(over, "o"));
  ASSERT_TRUE(store_->tasks().put(task("t3"), "another"));
  store_ = open();
  const auto tasks = store_->tasks().list("o").value();
  ASSERT_EQ(tasks.size(), 2u);
  const tool::Task wanted = task("t1");
  EXPECT_EQ(tasks[0].id, wanted.id);
  EXPECT_EQ(tasks[0].principal, wanted.principal);
  EXPECT_EQ(tasks[0].tool, wanted.tool);
  EXPECT_EQ(tasks[0].status, wanted.status);
  EXPECT_EQ(tasks[0].created, wanted.created);
  EXPECT_EQ(tasks[0].updated, wanted.updated);
  EXPECT_EQ(tasks[0].ttl, wanted.ttl);
  EXPECT_EQ(tasks[0].poll_interval, wanted.poll_interval);
  ASSERT_EQ(tasks[0].questions.size(), 1u);
  EXPECT_EQ(tasks[0].questions[0].key, wanted.questions[0].key);
  EXPECT_EQ(tasks[0].questions[0].method, wanted.questions[0].method);
  EXPECT_EQ(tasks[0].questions[0].params, wanted.questions[0].params);
  EXPECT_EQ(tasks[0].asked, wanted.asked);
  EXPECT_EQ(tasks[0].outcome, wanted.outcome);
  EXPECT_EQ(tasks[1].status, tool::Task::Status::Completed);
  ASSERT_TRUE(store_->tasks().forget_expired(at(59)));
  EXPECT_EQ(store_->tasks().list("o").value().size(), 2u);
  ASSERT_TRUE(store_->tasks().forget_expired(at(60)));
  EXPECT_TRUE(store_->tasks().list("o").value().empty());
}

}  // namespace
}  // namespace host::store
