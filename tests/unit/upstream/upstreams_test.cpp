// Upstreams that come and change while the host runs. None can be started: there is no keeper.
#include "upstream/manager/upstreams.h"
#include "base/process/process.h"
#include "store/sqlite/sqlite.h"
#include "support/run_until.h"
#include "upstream/manager/secret_values.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>

#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <filesystem>
#include <fstream>

namespace host::upstream {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

class UpstreamsTest : public ::testing::Test {
 protected:
  UpstreamsTest() {
    config_.upstreams.restart_pause = 60s;
    config_.upstreams.restart_pause_most = 60s;
    std::string name = (fs::temp_directory_path() / "upstreams-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~UpstreamsTest() override {
    upstreams_.reset();
    if (desk_) desk_->stop();
    desk_.reset();
    fs::remove_all(folder_);
  }

  // Whose store cannot be read so many times.
  void make_desk(int failures) {
    failures_ = failures;
    desk_ = std::make_shared<store::Desk>(
        io_.get_executor(), [this]() -> Result<std::unique_ptr<store::Store>> {
          if (failures_-- > 0) return Error{ErrorKind::Io, "the disk does not answer"};
          return store::open_sqlite_store(folder_ / "toolpost.db", system_clock());
        });
  }
  void begin(std::vector<config::Upstream> all) {
    config_.upstream = std::move(all);
    upstreams_ = std::make_unique<Upstreams>(io_.get_executor(), config_, "{}", desk_, catalog_,
                                             registry_, folder_ / "no-keeper");
    run([this]() -> boost::asio::awaitable<void> { co_await upstreams_->start(); });
  }
  void change(std::vector<config::Upstream> now) {
    run([this, now = std::move(now)]() -> boost::asio::awaitable<void> {
      const auto ignored = co_await upstreams_->change(now);
    });
  }
  std::string restart(const std::string& name) {
    std::string why;
    run([this, name, &why]() -> boost::asio::awaitable<void> {
      const auto outcome = co_await upstreams_->restart(name);
      if (!outcome) why = outcome.error().message;
    });
    return why;
  }
  Status status(const std::string& name) { return upstreams_->status_of(name).value(); }

  static config::Upstream named(const std::string& name) {
    config::Upstream out;
    out.name = name;
    out.command = "/bin/cat";
    return out;
  }
  static config::Upstream writing(const std::string& name, const std::string& folder) {
    config::Upstream out = named(name);
    out.sandbox.emplace().fs.push_back({folder, true});
    return out;
  }

  void run(std::function<boost::asio::awaitable<void>()> work) {
    bool ended = false;
    boost::asio::co_spawn(io_, std::move(work), [&](std::exception_ptr fault) {
      EXPECT_FALSE(fault);
      ended = true;
    });
    until([&] { return ended; });
  }
  void until(const std::function<bool()>& is_so) { ASSERT_TRUE(test::run_until(io_, is_so)); }

  boost::asio::io_context io_;
  config::Config config_;
  metrics::Registry registry_;
  tool::Catalog catalog_;
  fs::path folder_;
  std::atomic<int> failures_ = 0;      // of the store, that are to come
  std::shared_ptr<store::Desk> desk_;  // null: there is no store
  std::unique_ptr<Upstreams> upstreams_;
};

TEST(DigestOfServer, ChangesWithTheServerOnly) {
  config::Upstream first;
  first.name = "u";
  first.command = "/bin/cat";
  first.env = R"({"TOKEN":{"env":"TOOLPOST_TEST_TOKEN"}})";
  const std::string digest = digest_of_server(first);
  ::setenv("TOOLPOST_TEST_TOKEN", "other", 1);
  config::Upstream same = first;
  same.tools = {"a*"};
  same.tools_denied = {"b"};
  same.auto_approve = true;
  same.timeout = 7s;
  same.group = "g";
  same.questions = {};
  same.max_inflight = 1;
  same.idle_stop = 1s;
  EXPECT_EQ(digest_of_server(same), digest);
  using Edit = std::function<void(config::Upstream&)>;
  const std::vector<Edit> edits = {
      [](auto& one) { one.command = "/bin/tac"; },
      [](auto& one) { one.args = {"-u"}; },
      [](auto& one) { one.env = R"({"TOKEN":{"env":"TOOLPOST_OTHER_TOKEN"}})"; },
      [](auto& one) { one.cwd = "/tmp"; },
      [](auto& one) { one.sandbox.emplace(); },
      [](auto& one) { one.url = "https://a.example/mcp"; },
      [](auto& one) { one.headers = R"({"X-Team":"b"})"; },
      [](auto& one) { one.transport = config::UpstreamTransport::Sse; },
      [](auto& one) { one.auth = config::UpstreamAuth::OAuth; },
      [](auto& one) { one.openapi = "/srv/api.yaml"; },
      [](auto& one) { one.name = "v"; },
  };
  for (std::size_t i = 0; i < edits.size(); ++i) {
    config::Upstream other = first;
    edits[i](other);
    EXPECT_NE(digest_of_server(other), digest) << i;
  }
}

TEST_F(UpstreamsTest, OneThatIsAddedAfterTheDefinitionsWereReadLateBegins) {
  make_desk(1);
  begin({named("a")});
  EXPECT_EQ(status("a").starts, 0u);
  restart("a");  // reads them, before the host tries it again itself
  EXPECT_GT(status("a").starts, 0u);
  change({named("a"), named("b")});
  EXPECT_GT(status("b").starts, 0u);
}

// It is removed at each step of the late reading.
TEST_F(UpstreamsTest, OneThatIsRemovedWhileTheDefinitionsAreReadLateKeepsNothingWaiting) {
  for (int steps = 0; steps < 12 && !HasFailure(); ++steps) {
    upstreams_.reset();
    if (desk_) desk_->stop();
    make_desk(1);
    begin({named("a")});
    bool is_restarted = false;
    boost::asio::co_spawn(
        io_,
        [this]() -> boost::asio::awaitable<void> {
          const auto ignored = co_await upstreams_->restart("a");
        },
        [&](const std::exception_ptr&) { is_restarted = true; });
    for (int i = 0; i < steps; ++i) {
      io_.restart();
      io_.run_one_for(50ms);
    }
    change({});
    until([&] { return is_restarted; });
  }
}

// Stored definitions and lists, as earlier starts left them.
class StoredUpstreamsTest : public UpstreamsTest {
 protected:
  StoredUpstreamsTest() { make_desk(0); }

  static std::vector<store::PinRecord> pins_of(const std::string& upstream) {
    store::PinRecord mark;
    mark.upstream = upstream;
    mark.offered = true;
    store::PinRecord tool = mark;
    tool.tool = "a";
    tool.accepted = R"({"name":"a","description":"d","inputSchema":{"type":"object"}})";
    return {mark, tool};
  }
  void put(const std::function<Result<void>(store::Store&)>& put) {
    store::Desk::Act<bool> act = [put](store::Store& store) -> Result<bool> {
      HOST_TRY(put(store));
      return true;
    };
    ASSERT_TRUE(desk_->ask_and_wait<bool>(std::move(act)).has_value());
  }
  std::vector<std::string> lists_of(const std::string& upstream) {
    using Names = std::vector<std::string>;
    store::Desk::Act<Names> act = [upstream](store::Store& store) -> Result<Names> {
      Names out;
      HOST_TRY_ASSIGN(const auto records, store.offers().of({upstream}));
      for (const auto& one : records) out.push_back(one.list);
      return out;
    };
    return desk_->ask_and_wait<Names>(std::move(act)).value();
  }
};

TEST_F(StoredUpstreamsTest, AStartPublishesTheStoredToolsOfAllInOneSnapshot) {
  constexpr std::size_t kMany = 40;
  std::vector<config::Upstream> all;
  for (std::size_t i = 0; i < kMany; ++i) {
    all.push_back(named("u" + std::to_string(i)));
    put([pins = pins_of(all.back().name)](auto& store) { return store.pins().put(pins); });
  }
  int snapshots = 0;
  catalog_.on_publish([&] { ++snapshots; });
  begin(std::move(all));
  EXPECT_EQ(snapshots, 1);
  EXPECT_EQ(catalog_.snapshot()->entries().size(), kMany);
}

TEST_F(StoredUpstreamsTest, AStartForgetsTheListsOfUpstreamsThatTheHostDoesNotHave) {
  for (const std::string name : {"here", "gone"}) {
    put([name](auto& store) {
      return store.offers().put({name, "prompts", "source", "filters", "{}\n"});
    });
  }
  begin({named("here")});
  EXPECT_EQ(lists_of("here"), std::vector<std::string>{"prompts"});
  EXPECT_EQ(lists_of("gone"), std::vector<std::string>{store::kUnread});
}

TEST_F(UpstreamsTest, AFolderThatIsGrantedNoMoreIsNotHeldAgainstTheSuccessor) {
  begin({writing("a", "/srv/share")});
  until([&] { return status("a").state == State::Waiting; });
  change({writing("a", "/srv/share/out")});
  until([&] { return status("a").state == State::Waiting; });
  EXPECT_THAT(status("a").last_error, Not(HasSubstr("depends on the folder")));
}

TEST_F(UpstreamsTest, AFolderThatIsGrantedLaterIsRespected) {
  begin({writing("a", "/srv/share/out")});
  EXPECT_THAT(restart("a"), Not(HasSubstr("depends on the folder")));
  change({writing("a", "/srv/share/out"), writing("b", "/srv/share")});
  EXPECT_THAT(restart("a"), HasSubstr("depends on the folder /srv/share"));
}

// What the store has of the tool "a", as another host with this store writes it.
class SharedStoreTest : public UpstreamsTest {
 protected:
  SharedStoreTest() {
    make_desk(0);
    put("");
    begin({named("u")});
  }
  static std::string definition(const std::string& description) {
    return definition_of(R"({"name":"a","description":")" + description +
                         R"(","inputSchema":{"type":"object"}})")
        .value()
        .text;
  }
  void put(const std::string& held) {
    store::Desk::Act<bool> act = [held](store::Store& store) -> Result<bool> {
      store::PinRecord mark;
      mark.upstream = "u";
      mark.offered = true;
      store::PinRecord tool = mark;
      tool.tool = "a";
      tool.accepted = definition("old");
      tool.held = held;
      HOST_TRY(store.pins().put({mark, tool}));
      return true;
    };
    ASSERT_TRUE(desk_->ask_and_wait<bool>(std::move(act)).has_value());
  }
  std::string stored() {
    store::Desk::Act<std::string> act = [](store::Store& store) -> Result<std::string> {
      HOST_TRY_ASSIGN(const auto records, store.pins().list());
      return records.at(1).accepted;
    };
    return desk_->ask_and_wait<std::string>(std::move(act)).value();
  }
  Status full_status() {
    Status out;
    run([this, &out]() -> boost::asio::awaitable<void> {
      auto all = co_await upstreams_->full_status();
      auto one = co_await upstreams_->full_status_of("u");
      EXPECT_EQ(all.size(), 1u);
      EXPECT_EQ(as_json(all.front()), as_json(one.value()));
      out = *std::move(one);
    });
    return out;
  }
  std::string accept(const std::string& tool, const std::string& digest) {
    std::string why;
    run([this, tool, digest, &why]() -> boost::asio::awaitable<void> {
      const auto outcome = co_await upstreams_->accept("u", tool, digest, "anna");
      if (!outcome) why = outcome.error().message;
    });
    return why;
  }
};

TEST_F(SharedStoreTest, WhatWaitsAtAnotherHostIsShownAndAcceptedHere) {
  EXPECT_EQ(full_status().held.size(), 0u);
  put(definition("new"));
  const Status shown = full_status();
  ASSERT_EQ(shown.held.size(), 1u);
  EXPECT_EQ(shown.held[0].tool, "a");
  EXPECT_FALSE(shown.held[0].lines.empty());
  EXPECT_NE(shown.held_digest, "");
  EXPECT_THAT(accept("a", "sha256:0"), HasSubstr("no changed definition"));
  EXPECT_EQ(accept("a", shown.held[0].digest), "");
  EXPECT_EQ(stored(), definition("new"));
  EXPECT_EQ(full_status().held.size(), 0u);
  for (const char* const tool : {"a", ""})
    EXPECT_EQ(accept(tool, shown.held[0].digest), "") << "it is in force already";
  EXPECT_THAT(accept("a", digest_of(definition("old"))), HasSubstr("no changed definition"));
  EXPECT_THAT(accept("b", shown.held[0].digest), HasSubstr("no changed definition"));
}

// One of them is the one that the store has got last.
TEST_F(SharedStoreTest, DifferentDefinitionsOfOtherHostsAreShownAndAcceptedEachByItsDigest) {
  put(definition("new"));
  const auto database = store::Sqlite::open(folder_ / "toolpost.db").value();
  const std::string sql = "INSERT INTO upstream_held SELECT upstream, tool, " +
                          std::to_string(::getppid()) + ", '" + mark_of_process(::getppid()) +
                          "', '" + definition("newer") + "', changed FROM upstream_held";
  ASSERT_TRUE(database->run(sql.c_str()));
  const Status shown = full_status();
  ASSERT_EQ(shown.held.size(), 2u);
  EXPECT_EQ(shown.held_digest, "");
  EXPECT_NE(shown.held[0].digest, shown.held[1].digest);
  const bool is_first = shown.held[0].digest == digest_of(definition("newer"));
  EXPECT_EQ(accept("a", shown.held[is_first ? 0 : 1].digest), "");
  EXPECT_EQ(stored(), definition("newer"));
  ASSERT_EQ(full_status().held.size(), 1u);
  EXPECT_EQ(accept("", digest_of(definition("new"))), "");
  EXPECT_EQ(stored(), definition("new"));
  EXPECT_EQ(full_status().held.size(), 0u);
}

TEST_F(SharedStoreTest, ThatTheStoreCannotWriteIsTheAnswerToAnAcceptance) {
  put(definition("new"));
  const std::string digest = full_status().held.at(0).digest;
  const auto database = store::Sqlite::open(folder_ / "toolpost.db").value();
  ASSERT_TRUE(database->run(
      "CREATE TRIGGER full BEFORE UPDATE ON upstream_pin BEGIN SELECT RAISE(ABORT, 'full'); END"));
  for (const char* const tool : {"", "a"}) EXPECT_THAT(accept(tool, digest), HasSubstr("full"));
  EXPECT_EQ(stored(), definition("old"));
  ASSERT_TRUE(database->run("DROP TRIGGER full"));
  EXPECT_EQ(accept("", digest), "");
  EXPECT_EQ(stored(), definition("new"));
}

TEST_F(SharedStoreTest, AllThatWaitsAtAnotherHostIsAcceptedTogether) {
  put(definition("new"));
  EXPECT_EQ(accept("", full_status().held_digest), "");
  EXPECT_EQ(stored(), definition("new"));
}

// Two hosts that read the tool of an HTTP API. A host needs no server for that.
class TwoHostsTest : public UpstreamsTest {
 protected:
  TwoHostsTest() {
    make_desk(0);
    begin({described_as("old")});
    until([&] { return !status("u").tools.empty(); });
    other_config_.upstream = {described_as("new")};
    other_ = std::make_unique<Upstreams>(io_.get_executor(), other_config_, "{}", desk_,
                                         other_catalog_, other_registry_, folder_ / "no-keeper");
    run([this]() -> boost::asio::awaitable<void> {
      co_await other_->start();
      const auto ignored = co_await other_->restart("u");
    });
  }
  config::Upstream described_as(const std::string& summary) {
    const fs::path document = folder_ / (summary + ".json");
    std::ofstream(document) << R"({"openapi":"3.1.0","paths":{"/x":{"get":{"summary":")" << summary
                            << R"("}}}})";
    config::Upstream out;
    out.name = "u";
    out.openapi = document;
    out.url = "https://api.example";
    return out;
  }
  std::vector<HeldChange> held_at_the_other() { return other_->status_of("u").value().held; }

  config::Config other_config_;
  metrics::Registry other_registry_;
  tool::Catalog other_catalog_;
  std::unique_ptr<Upstreams> other_;
};

// The other one holds another definition of the tool.
TEST_F(TwoHostsTest, OneOfTwoDefinitionsIsAcceptedAtBoth) {
  const auto held = held_at_the_other();
  ASSERT_EQ(held.size(), 1u);
  change({described_as("newer")});
  EXPECT_EQ(restart("u"), "");
  ASSERT_EQ(status("u").held.size(), 1u);
  for (Upstreams* const host : {other_.get(), upstreams_.get()}) {
    run([host, one = held[0]]() -> boost::asio::awaitable<void> {
      const auto accepted = co_await host->accept("u", one.tool, one.digest, "anna");
      EXPECT_TRUE(accepted.has_value()) << accepted.error().message;
    });
  }
  EXPECT_EQ(status("u").held.size(), 1u);
}

// The store knew what its earlier process held, and has forgotten that.
TEST_F(TwoHostsTest, WhatAHostHoldsIsKnownAgainAfterItsStart) {
  const auto held = [this] {
    store::Desk::Act<std::size_t> act = [](store::Store& store) -> Result<std::size_t> {
      HOST_TRY_ASSIGN(const auto records, store.pins().held());
      return records.size();
    };
    return desk_->ask_and_wait<std::size_t>(std::move(act)).value();
  };
  until([&] { return held() == 1; });
  const auto database = store::Sqlite::open(folder_ / "toolpost.db").value();
  ASSERT_TRUE(database->run("DELETE FROM upstream_held"));
  EXPECT_EQ(held(), 0u);
  other_ = std::make_unique<Upstreams>(io_.get_executor(), other_config_, "{}", desk_,
                                       other_catalog_, other_registry_, folder_ / "no-keeper");
  run([this]() -> boost::asio::awaitable<void> {
    co_await other_->start();
    const auto ignored = co_await other_->restart("u");
  });
  until([&] { return held() == 1; });
}

TEST_F(TwoHostsTest, WhatWasAcceptedElsewhereIsServedByASuccessorToo) {
  const auto held = held_at_the_other();
  ASSERT_EQ(held.size(), 1u);
  run([this, digest = held[0].digest]() -> boost::asio::awaitable<void> {
    const auto accepted = co_await upstreams_->accept("u", "", digest, "anna");
    EXPECT_TRUE(accepted.has_value());
  });
  change({described_as("new")});
  EXPECT_EQ(restart("u"), "");
  EXPECT_EQ(status("u").held.size(), 0u);
  EXPECT_EQ(status("u").tools.size(), 1u);
}

}  // namespace
}  // namespace host::upstream
