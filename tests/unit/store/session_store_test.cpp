#include "store/part/session_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "store/store.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;

class SessionStoreTest : public ::testing::Test {
 protected:
  SessionStoreTest() {
    std::string name = (fs::temp_directory_path() / "session-store-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    store_ = open();
  }
  ~SessionStoreTest() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  std::shared_ptr<Store> open() {
    return open_sqlite_store(folder_ / "toolpost.db", system_clock()).value();
  }
  SessionStore& sessions() { return store_->sessions(); }

  static WallTime after(int seconds) { return WallTime(std::chrono::seconds(1'000'000 + seconds)); }
  static SessionRecord record(const std::string& id, int used = 0) {
    SessionRecord made;
    made.id = id;
    made.principal = "anna";
    made.created = after(0);
    made.used = after(used);
    return made;
  }
  static SessionRecord full(const std::string& id) {
    SessionRecord made = record(id);
    made.agent = "coder";
    made.mode = "explore";
    made.working_dirs = std::vector<std::string>{"/srv/a", "/srv/\"b\""};
    made.groups = std::vector<std::string>{};
    made.context = R"({"values":{"tenant":"7"}})";
    made.tools = R"({"look":{}})";
    made.todos = R"([{"id":"1","content":"a","status":"pending"}])";
    made.presets = R"({"look":{"at":"sky"}})";
    return made;
  }

  fs::path folder_;
  std::shared_ptr<Store> store_;
};

TEST_F(SessionStoreTest, ComesBackAsItWas) {
  ASSERT_TRUE(sessions().add(full("s_1")).value());
  ASSERT_TRUE(sessions().add(record("s_2")).value());
  store_ = open();
  EXPECT_EQ(sessions().find("s_1").value(), full("s_1"));
  // An empty list is not the same as none.
  EXPECT_TRUE(sessions().find("s_1").value()->groups.has_value());
  EXPECT_FALSE(sessions().find("s_1").value()->providers.has_value());
  EXPECT_EQ(sessions().find("s_2").value(), record("s_2"));
  EXPECT_FALSE(sessions().find("s_3").value().has_value());
}

TEST_F(SessionStoreTest, AddsAnIdOnce) {
  EXPECT_TRUE(sessions().add(record("s_1")).value());
  EXPECT_FALSE(sessions().add(full("s_1")).value());
  EXPECT_EQ(sessions().find("s_1").value(), record("s_1"));
}

TEST_F(SessionStoreTest, ChangesOnlyTheVersionThatIsExpected) {
  ASSERT_TRUE(sessions().add(record("s_1")).value());
  SessionRecord second = full("s_1");
  second.agent.clear();  // never changes
  second.version = 2;
  EXPECT_FALSE(sessions().change(second, 2).value());
  EXPECT_FALSE(sessions().change(second, 0).value());
  EXPECT_EQ(sessions().find("s_1").value(), record("s_1"));
  EXPECT_TRUE(sessions().change(second, 1).value());
  EXPECT_FALSE(sessions().change(second, 1).value());
  EXPECT_EQ(sessions().find("s_1").value(), second);
  EXPECT_EQ(sessions().versions().value().at(0).version, 2u);
}

TEST_F(SessionStoreTest, AChangeMakesNoSessionThatHasEnded) {
  EXPECT_FALSE(sessions().change(record("s_1"), 1).value());
  EXPECT_TRUE(sessions().list().value().empty());
}

TEST_F(SessionStoreTest, UsesMoveASessionToTheEndOfTheList) {
  ASSERT_TRUE(sessions().add(record("s_1", 1)).value());
  ASSERT_TRUE(sessions().add(record("s_2", 2)).value());
  ASSERT_TRUE(sessions().used({{"s_1", after(3)}, {"gone", after(9)}}));
  const auto all = sessions().list().value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].id, "s_2");
  EXPECT_EQ(all[1].used, after(3));
}

TEST_F(SessionStoreTest, ForgetsIdleSessionsButNoneOfAClientContext) {
  SessionRecord of_client = record("s_client", 1);
  of_client.of_client = true;
  for (const SessionRecord& each : {record("s_old", 1), record("s_new", 5), of_client})
    ASSERT_TRUE(sessions().add(each).value());
  ASSERT_TRUE(sessions().forget_unused_since(after(3)));
  EXPECT_FALSE(sessions().find("s_old").value().has_value());
  EXPECT_TRUE(sessions().find("s_new").value().has_value());
  EXPECT_TRUE(sessions().find("s_client").value().has_value());
}

TEST_F(SessionStoreTest, ForgetsSessionsWhoseClientContextHasGone) {
  for (const char* id : {"s_here", "s_gone"}) {
    SessionRecord each = record(id);
    each.of_client = true;
    ASSERT_TRUE(sessions().add(each).value());
  }
  ASSERT_TRUE(sessions().add(record("s_rest")).value());
  ClientContextRecord context;
  context.id = "s_here";
  ASSERT_TRUE(store_->client_contexts().put(context));
  ASSERT_TRUE(sessions().forget_left_behind());
  EXPECT_TRUE(sessions().find("s_here").value().has_value());
  EXPECT_FALSE(sessions().find("s_gone").value().has_value());
  EXPECT_TRUE(sessions().find("s_rest").value().has_value());
}

// Another host lives on with it.
TEST_F(SessionStoreTest, KeepsAUsedSessionWhoseClientContextCouldNotBeStored) {
  SessionRecord used = record("s_used");
  used.of_client = true;
  used.used = system_clock().wall() - std::chrono::hours(24);
  ASSERT_TRUE(sessions().add(used).value());
  ASSERT_TRUE(sessions().forget_left_behind());
  EXPECT_TRUE(sessions().find("s_used").value().has_value());
}

TEST_F(SessionStoreTest, SeesWhatAnotherProcessChanges) {
  ASSERT_TRUE(sessions().add(record("s_1")).value());
  sessions().changed_by_others().value();
  EXPECT_FALSE(sessions().changed_by_others().value());
  EXPECT_TRUE(open()->sessions().remove("s_1").value());
  EXPECT_TRUE(sessions().changed_by_others().value());
  EXPECT_FALSE(sessions().remove("s_1").value());
}

}  // namespace
}  // namespace host::store
