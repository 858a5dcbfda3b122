#include "session/sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>

#include "failing_store.h"
#include "store/store.h"
#include "support/manual_clock.h"
#include "support/run_loop.h"
#include "support/run_until.h"

namespace host::session {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SessionsTest : public ::testing::Test {
 protected:
  SessionsTest() {
    std::string name = (fs::temp_directory_path() / "sessions-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    desk = std::make_shared<store::Desk>(loop.io.get_executor(), [file = folder / "toolpost.db"] {
      return store::open_sqlite_store(file, system_clock());
    });
    sessions = made();
  }
  ~SessionsTest() override {
    sessions->stop();
    loop.turn();
    sessions.reset();
    desk.reset();
    fs::remove_all(folder);
  }

  // Not opened: then nothing follows the store, and a loop comes to its end.
  std::shared_ptr<Sessions> made() {
    Sessions::Limits limits{3, 2, hours(1),
                            [this](std::string_view limit) { refused.emplace_back(limit); }};
    auto made = std::make_shared<Sessions>(loop.io.get_executor(), desk, clock, limits);
    made->on_end([this](const SessionPtr& session) { ended.push_back(session->id); });
    made->on_change([this](const SessionPtr&, const SessionPtr& session) {
      changed.push_back(session->version);
    });
    return made;
  }
  Result<SessionPtr> create(const std::string& principal, Settings settings = {}) {
    return loop.get(sessions->create({principal, "coder", std::move(settings)}));
  }
  Sessions::Changed change(const SessionPtr& session, Settings settings = {}) {
    return loop.get(sessions->change(session->id, session->version, std::move(settings))).value();
  }
  std::optional<store::SessionRecord> stored(const std::string& id) {
    store::Desk::Act<std::optional<store::SessionRecord>> act = [id](store::Store& store) {
      return store.sessions().find(id);
    };
    return desk->ask_and_wait<std::optional<store::SessionRecord>>(std::move(act)).value();
  }
  static std::shared_ptr<const std::string> tools() {
    return std::make_shared<const std::string>(R"({"look":{"name":"look"}})");
  }

  test::RunLoop loop;
  test::ManualClock clock;
  fs::path folder;
  std::shared_ptr<store::Desk> desk;
  std::vector<std::string> refused;
  std::vector<std::string> ended;
  std::vector<std::uint64_t> changed;
  std::shared_ptr<Sessions> sessions;
};

TEST_F(SessionsTest, IsStoredBeforeItIsHandedOut) {
  const SessionPtr session = create("anna").value();
  EXPECT_THAT(session->id, ::testing::StartsWith("s_"));
  EXPECT_GE(session->id.size(), 24u);
  ASSERT_TRUE(stored(session->id));
  EXPECT_EQ(stored(session->id)->agent, "coder");
}

TEST_F(SessionsTest, IsNotThereForAnotherPrincipal) {
  const SessionPtr session = create("anna").value();
  EXPECT_EQ(sessions->find(session->id, "anna"), session);
  EXPECT_EQ(sessions->find(session->id, "bob"), nullptr);
  EXPECT_EQ(sessions->find("s_nothing", "anna"), nullptr);
}

TEST_F(SessionsTest, ComesBackAfterARestart) {
  Settings settings;
  settings.mode = config::PermissionMode::Explore;
  settings.mcp_providers = std::vector<std::string>{"hello"};
  Context context;
  context.values = {{"tenant", "7"}};
  context.entries = {{"user", R"({"id":1})"}};
  settings.context = std::make_shared<const Context>(context);
  settings.tools = tools();
  const std::string id = create("anna", settings).value()->id;
  const auto again = made();
  ASSERT_TRUE(again->open());
  const SessionPtr session = again->find(id, "anna");
  again->stop();
  ASSERT_TRUE(session);
  EXPECT_EQ(session->settings.mode, settings.mode);
  EXPECT_EQ(session->settings.mcp_providers, settings.mcp_providers);
  EXPECT_FALSE(session->settings.groups);
  EXPECT_EQ(*session->settings.context, context);
  EXPECT_EQ(*session->settings.tools, *tools());
}

TEST_F(SessionsTest, EqualToolsAreInMemoryOnce) {
  Settings settings;
  settings.tools = tools();
  const SessionPtr one = create("anna", settings).value();
  settings.tools = tools();
  const SessionPtr two = create("bob", settings).value();
  EXPECT_EQ(one->settings.tools.get(), two->settings.tools.get());
}

TEST_F(SessionsTest, LimitsNameThemselvesAndLeaveOthersTheirPlace) {
  ASSERT_TRUE(create("anna"));
  const SessionPtr second = create("anna").value();
  const auto third = create("anna");
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().kind, ErrorKind::Unavailable);
  EXPECT_THAT(third.error().message, HasSubstr("limits.kept_sessions_per_principal"));
  ASSERT_TRUE(create("bob"));
  EXPECT_THAT(create("cleo").error().message, HasSubstr("(limits.kept_sessions)"));
  EXPECT_THAT(refused, ElementsAre("limits.kept_sessions_per_principal", "limits.kept_sessions"));
  EXPECT_TRUE(loop.get(sessions->end(second->id)).value());
  EXPECT_TRUE(create("anna"));
}

TEST_F(SessionsTest, ManyAtOnceDoNotPassTheLimit) {
  std::vector<std::shared_ptr<std::optional<Result<SessionPtr>>>> all;
  for (int i = 0; i < 5; ++i) all.push_back(loop.start(sessions->create({"anna", "", {}})));
  loop.drain();
  int made = 0;
  for (const auto& each : all) made += (*each)->has_value() ? 1 : 0;
  EXPECT_EQ(made, 2);
  EXPECT_EQ(sessions->size(), 2u);
}

TEST_F(SessionsTest, AChangeNeedsTheVersionAndMakesTheNext) {
  const SessionPtr first = create("anna").value();
  Settings settings;
  settings.groups = std::vector<std::string>{"billing"};
  const auto second = change(first, settings);
  EXPECT_FALSE(second.clash);
  EXPECT_EQ(second.session->version, 2u);
  EXPECT_EQ(stored(first->id)->groups, settings.groups);
  const auto late = change(first);
  EXPECT_TRUE(late.clash);
  EXPECT_EQ(late.session, second.session);
  EXPECT_EQ(sessions->find(first->id), second.session);
  EXPECT_THAT(changed, ElementsAre(2u));
}

TEST_F(SessionsTest, OneOfTwoChangesAtOnceWins) {
  const SessionPtr first = create("anna").value();
  const auto one = loop.start(sessions->change(first->id, 1, {}));
  const auto two = loop.start(sessions->change(first->id, 1, {}));
  loop.drain();
  EXPECT_NE((**one)->clash, (**two)->clash);
  EXPECT_EQ(sessions->find(first->id)->version, 2u);
  EXPECT_EQ(changed.size(), 1u);
}

// As two hosts with one store, of which the second has not yet looked at what the first changed.
TEST_F(SessionsTest, AfterAClashWithAnotherHostItHasTheNewestState) {
  const SessionPtr session = create("anna").value();
  const auto other = made();
  ASSERT_TRUE(other->open());
  other->stop();  // it looks no more
  Settings settings;
  settings.groups = std::vector<std::string>{"billing"};
  ASSERT_FALSE(change(session, settings).clash);
  changed.clear();
  const auto clash = loop.get(other->change(session->id, 1, {})).value();
  EXPECT_TRUE(clash.clash);
  ASSERT_TRUE(clash.session);
  EXPECT_EQ(clash.session->version, 2u);
  EXPECT_EQ(clash.session->settings.groups, settings.groups);
  EXPECT_EQ(other->find(session->id), clash.session);
  EXPECT_THAT(changed, ElementsAre(2u)) << "the listeners were not told";
  EXPECT_FALSE(loop.get(other->change(session->id, 2, {})).value().clash);
}

TEST_F(SessionsTest, AChangeOfASessionThatAnotherHostEndedFindsNone) {
  const SessionPtr session = create("anna").value();
  const auto other = made();
  ASSERT_TRUE(other->open());
  other->stop();
  ASSERT_TRUE(loop.get(sessions->end(session->id)).value());
  ended.clear();
  EXPECT_FALSE(loop.get(other->change(session->id, 1, {})).value().session);
  EXPECT_FALSE(other->find(session->id));
  EXPECT_THAT(ended, ElementsAre(session->id));
}

TEST_F(SessionsTest, AChangeOfSomethingElseKeepsTheTextOfTheTools) {
  Settings settings;
  settings.tools = tools();
  const SessionPtr session = create("anna", settings).value();
  settings.tools = session->settings.tools;
  settings.groups = std::vector<std::string>{"billing"};
  EXPECT_EQ(change(session, settings).session->settings.tools.get(), session->settings.tools.get());
}

TEST_F(SessionsTest, EndsOnceAndForAll) {
  const SessionPtr session = create("anna").value();
  EXPECT_TRUE(loop.get(sessions->end(session->id)).value());
  EXPECT_FALSE(loop.get(sessions->end(session->id)).value());
  EXPECT_FALSE(sessions->find(session->id));
  EXPECT_FALSE(stored(session->id));
  EXPECT_EQ(change(session).session, nullptr);
  EXPECT_THAT(ended, ElementsAre(session->id));
}

// The store reports the change by another process only once, and the read that follows fails.
TEST_F(SessionsTest, AFailedReadOfWhatAnotherProcessChangedIsRepeated) {
  test::StoreTrouble trouble;
  desk = std::make_shared<store::Desk>(
      loop.io.get_executor(),
      [file = folder / "toolpost.db", &trouble]() -> Result<std::unique_ptr<store::Store>> {
        HOST_TRY_ASSIGN(auto real, store::open_sqlite_store(file, system_clock()));
        return std::unique_ptr<store::Store>(
            std::make_unique<test::FailingStore>(std::move(real), trouble));
      });
  sessions = made();
  const std::string id = create("anna").value()->id;
  ASSERT_TRUE(sessions->open());
  store::Desk::Act<bool> end_it = [&](store::Store& store) {
    trouble.is_changed = true;
    trouble.failures = 1;
    return store.sessions().remove(id);
  };
  ASSERT_TRUE(desk->ask_and_wait<bool>(std::move(end_it)).value());
  EXPECT_TRUE(test::run_until(loop.io, [&] { return !sessions->find(id); }));
  sessions->stop();
  loop.turn();
  desk->stop();
}

TEST_F(SessionsTest, AnIdleSessionEndsAndAUsedOneGoesOn) {
  std::vector<std::string> uses;
  sessions->on_use([&uses](std::string_view id) { uses.emplace_back(id); });
  const SessionPtr idle = create("anna").value();
  const SessionPtr used = create("anna").value();
  clock.advance(hours(1) + std::chrono::minutes(1));
  sessions->touch(used->id);
  sessions->touch("s_nothing");
  EXPECT_THAT(uses, ElementsAre(used->id));
  clock.advance(hours(1));
  ASSERT_TRUE(create("bob"));  // looks for idle ones
  EXPECT_FALSE(sessions->find(idle->id));
  EXPECT_TRUE(sessions->find(used->id));
  EXPECT_EQ(sessions->expires(used->id), clock.wall());
}

TEST_F(SessionsTest, ManyIdleSessionsEndInFewTransactions) {
  constexpr std::size_t kMany = 400;
  const auto many = std::make_shared<Sessions>(loop.io.get_executor(), desk, clock,
                                               Sessions::Limits{1000, 1000, hours(1), nullptr});
  for (std::size_t i = 0; i < kMany; ++i)
    ASSERT_TRUE(loop.get(many->create({"anna", "coder", {}})));
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((folder / "toolpost.db").c_str(), &database), SQLITE_OK);
  const char* const empty_the_log = "PRAGMA wal_checkpoint(TRUNCATE)";
  EXPECT_EQ(sqlite3_exec(database, empty_the_log, nullptr, nullptr, nullptr), SQLITE_OK);
  ASSERT_EQ(fs::file_size(folder / "toolpost.db-wal"), 0u);
  clock.advance(hours(2));
  ASSERT_TRUE(loop.get(many->create({"bob", "coder", {}})));
  EXPECT_EQ(many->list("", "", 1000).size(), 1u);
  constexpr std::size_t kPage = 4096;  // each transaction writes at least one
  EXPECT_LT(fs::file_size(folder / "toolpost.db-wal"), kMany * kPage);
  sqlite3_close(database);
}

TEST_F(SessionsTest, ASessionThatAnotherHostUsesIsNotIdle) {
  const SessionPtr session = create("anna").value();
  clock.advance(hours(2));
  store::Desk::Act<bool> act = [id = session->id, now = clock.wall()](store::Store& store) {
    const std::vector<store::SessionUse> uses = {{id, now}};
    return store.sessions().used(uses) ? Result<bool>(true) : Result<bool>(false);
  };
  ASSERT_TRUE(desk->ask_and_wait<bool>(std::move(act)).value());
  ASSERT_TRUE(create("bob"));  // looks for idle ones
  EXPECT_TRUE(sessions->find(session->id));
  EXPECT_TRUE(stored(session->id));
  EXPECT_EQ(sessions->used(session->id), clock.wall());
}

TEST_F(SessionsTest, ASessionOfAClientContextEndsWithItAlone) {
  const SessionPtr session = sessions->adopt("c1", "anna", "", clock.wall());
  EXPECT_TRUE(session->of_client);
  EXPECT_EQ(sessions->adopt("c1", "anna", "", clock.wall()), session);
  EXPECT_FALSE(stored("c1"));
  clock.advance(hours(9));
  const SessionPtr other = create("anna").value();
  EXPECT_TRUE(sessions->find("c1", "anna"));
  sessions->release(other->id);  // no client context's
  EXPECT_TRUE(sessions->find(other->id));
  sessions->release("c1");
  EXPECT_FALSE(sessions->find("c1"));
  EXPECT_THAT(ended, ElementsAre("c1"));
}

TEST_F(SessionsTest, ASessionOfAClientContextIsStoredWithItsFirstChange) {
  const SessionPtr session = sessions->adopt("c1", "anna", "", clock.wall());
  Settings settings;
  settings.tools = tools();
  ASSERT_FALSE(change(session, settings).clash);
  ASSERT_TRUE(stored("c1"));
  EXPECT_TRUE(stored("c1")->of_client);
  EXPECT_FALSE(change(sessions->find("c1")).clash);
  sessions->release("c1");
  EXPECT_FALSE(stored("c1"));
}

TEST_F(SessionsTest, ListsByIdAndPrincipal) {
  const std::string a = create("anna").value()->id;
  const std::string b = create("anna").value()->id;
  ASSERT_TRUE(create("bob"));
  EXPECT_EQ(sessions->list("anna", "", 9).size(), 2u);
  EXPECT_EQ(sessions->list("", "", 9).size(), 3u);
  EXPECT_EQ(sessions->list("anna", std::min(a, b), 9).at(0)->id, std::max(a, b));
  EXPECT_EQ(sessions->list("", "", 2).size(), 2u);
}

TEST_F(SessionsTest, WithoutAStoreThereAreOnlySessionsOfClientContexts) {
  const auto bare =
      std::make_shared<Sessions>(loop.io.get_executor(), nullptr, clock, Sessions::Limits());
  ASSERT_TRUE(bare->open());
  const auto refusal = loop.get(bare->create({"anna", "", {}}));
  ASSERT_FALSE(refusal);
  EXPECT_THAT(refusal.error().message, HasSubstr("store.file"));
  const SessionPtr session = bare->adopt("c1", "anna", "", clock.wall());
  EXPECT_EQ(loop.get(bare->change("c1", 1, {})).value().session->version, 2u);
  EXPECT_TRUE(loop.get(bare->end("c1")).value());
}

}  // namespace
}  // namespace host::session
