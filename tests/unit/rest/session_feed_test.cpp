#include "rest/feed/session_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "rest/feed/session_log.h"
#include "store/store.h"
#include "support/fake_http.h"
#include "support/manual_clock.h"
#include "support/run_loop.h"

namespace host::rest {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tool::Record;
using tool::RecordState;

class SessionFeedTest : public ::testing::Test {
 protected:
  SessionFeedTest() {
    std::string name = (fs::temp_directory_path() / "session-feed-test-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    desk = std::make_shared<store::Desk>(loop.io.get_executor(), [this] {
      return store::open_sqlite_store(folder / "toolpost.db", clock);
    });
    EXPECT_TRUE(records.keep_in(desk, "o"));
    events = std::make_shared<Events>(loop.io.get_executor());
    feed = std::make_shared<SessionFeed>(
        SessionFeed::Parts{loop.io.get_executor(), events, desk, records});
    records.on_transition([this](const tool::Transition& one) { feed->changed(one); });
  }
  ~SessionFeedTest() override {
    desk->stop();
    loop.drain();
    fs::remove_all(folder);
  }

  void add(const std::string& id, const std::string& session = "s") {
    Record record;
    record.id = id;
    record.session = session;
    record.principal = "ann";
    record.tool = "echo";
    record.arguments = R"({"a":1})";
    records.add(std::move(record), "rest:ann");
    loop.drain();
  }
  void end(const std::string& id, const std::string& result = R"({"content":[]})") {
    Record next = *records.find(id);
    next.state = RecordState::Processing;
    next = **records.change(std::move(next), "host");
    next.state = RecordState::Complete;
    next.result = result;
    ASSERT_TRUE(records.change(std::move(next), "host"));
    loop.drain();
  }
  Events::Opened open(test::FakeExchange& client, std::uint64_t last = 0) {
    const auto opened = feed->open(
        client, {"ann", identity::Scope::Call}, [this] { return admitted; }, "s", last);
    return opened;
  }
  Result<LogPage> read(LogPart part, std::uint64_t after, std::uint32_t limit,
                       std::size_t bytes = 1 << 20) {
    store::Desk::Act<LogPage> act = [=](store::Store& store) {
      return read_log(store, part, "s", after, limit, bytes);
    };
    return loop.get(desk->ask<LogPage>(std::move(act)));
  }

  test::RunLoop loop;
  test::ManualClock clock;
  fs::path folder;
  std::shared_ptr<store::Desk> desk;
  task::Records records{loop.io.get_executor(), clock};
  std::shared_ptr<Events> events;
  std::shared_ptr<SessionFeed> feed;
  bool admitted = true;
};

TEST_F(SessionFeedTest, AStreamBeginsAfterTheLastEventAndGoesOnLive) {
  add("r_1");
  end("r_1");
  test::FakeExchange client;
  ASSERT_EQ(open(client, 1), Events::Opened::Yes);
  loop.drain();
  EXPECT_THAT(client.events->ids, ElementsAre("1", "2", "3"));
  EXPECT_EQ(client.events->events[0], "retry 500");
  EXPECT_THAT(client.events->events[1], HasSubstr(R"("from":"PENDING","state":"PROCESSING")"));
  EXPECT_THAT(client.events->events[2], HasSubstr(R"("tool_result":{"type":"tool_result")"));
  add("other", "s2");
  add("r_2");
  EXPECT_THAT(client.events->ids, ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(client.events->events[3], HasSubstr(R"("request":"r_2","name":"echo")"));
}

TEST_F(SessionFeedTest, WhatACallWaitsForIsTheTypeOfItsEvent) {
  test::FakeExchange client;
  open(client);
  add("r_1");
  Record next = *records.find("r_1");
  next.reason = tool::kWaitsForCaller;
  ASSERT_TRUE(records.change(std::move(next), "host"));
  loop.drain();
  EXPECT_THAT(client.events->events.back(), HasSubstr(R"({"type":"external_execution_required")"));
  EXPECT_THAT(client.events->events.back(), HasSubstr(R"("arguments":{"a":1})"));
}

TEST_F(SessionFeedTest, ASlowReaderKeepsItsStreamAndGetsEverythingLater) {
  const std::string large =
      R"({"content":[{"type":"text","text":")" + std::string(200'000, 'x') + "\"}]}";
  test::FakeExchange client;
  open(client);
  loop.drain();
  client.events->takes = false;
  for (int i = 0; i < 5; ++i) {
    add("r_" + std::to_string(i));
    end("r_" + std::to_string(i), large);
  }
  EXPECT_EQ(client.events->ids.back(), "2") << "the first result does not fit beside what waits";
  EXPECT_LT(client.events->waiting(), 1000u);
  client.events->take();
  loop.drain();
  EXPECT_EQ(client.events->ids.back(), "3") << "it is sent alone";
  feed->progress(tool::Call{}, 1, 2, "left out");
  for (int i = 0; i < 20; ++i) {
    client.events->take();
    loop.drain();
  }
  EXPECT_EQ(client.events->ids.back(), "15");
  EXPECT_EQ(client.events->ids.size(), 16u) << "each once, after the first event";
}

TEST_F(SessionFeedTest, AStreamEndsWithItsSessionAndGivesItsPlaceBack) {
  events->limit(1, nullptr);
  test::FakeExchange client, second;
  ASSERT_EQ(open(client), Events::Opened::Yes);
  EXPECT_EQ(open(second), Events::Opened::TooManyOfPrincipal);
  EXPECT_TRUE(feed->follows("s"));
  feed->ended("s");
  EXPECT_EQ(client.events->events.back(), R"({"type":"session_ended"})");
  EXPECT_FALSE(client.events->is_open);
  EXPECT_FALSE(feed->follows("s"));
  EXPECT_EQ(open(second), Events::Opened::Yes);
}

TEST_F(SessionFeedTest, AStreamEndsWithItsCredential) {
  test::FakeExchange client;
  ASSERT_EQ(open(client), Events::Opened::Yes);
  loop.drain();
  admitted = false;
  events->close_ended();
  EXPECT_FALSE(client.events->is_open);
  const std::size_t sent = client.events->events.size();
  add("r_1");
  EXPECT_EQ(client.events->events.size(), sent);
}

TEST_F(SessionFeedTest, ListsOfTheConsoleAreNotSentHere) {
  test::FakeExchange client;
  open(client);
  loop.drain();
  const std::size_t sent = client.events->events.size();
  events->changed("tools", identity::Scope::Call);
  loop.drain();
  EXPECT_EQ(client.events->events.size(), sent);
}

TEST_F(SessionFeedTest, ResultsComeInTheOrderOfTheirEndsEachOnce) {
  for (const char* id : {"r_1", "r_2", "r_3"}) add(id);
  for (const char* id : {"r_3", "r_1"}) end(id);
  std::vector<std::string> seen;
  std::uint64_t after = 0;
  for (bool more = true; more;) {
    const LogPage page = read(LogPart::Ends, after, 1).value();
    for (const LogEntry& entry : page.entries) seen.push_back(entry.record->id);
    after = page.next;
    more = page.more;
  }
  EXPECT_THAT(seen, ElementsAre("r_3", "r_1"));
  end("r_2");
  const LogPage page = read(LogPart::Ends, after, 10).value();
  ASSERT_EQ(page.entries.size(), 1u);
  EXPECT_THAT(result_json(page.entries[0]), HasSubstr(R"("request":"r_2")"));
  EXPECT_FALSE(page.more);
}

TEST_F(SessionFeedTest, APageEndsAfterItsBytes) {
  for (const char* id : {"r_1", "r_2", "r_3"}) {
    add(id);
    end(id, R"({"content":[{"type":"text","text":"0123456789"}]})");
  }
  const LogPage page = read(LogPart::Ends, 0, 10, 1).value();
  EXPECT_EQ(page.entries.size(), 1u);
  EXPECT_TRUE(page.more);
  EXPECT_EQ(read(LogPart::Ends, page.next, 10).value().entries.size(), 2u);
}

}  // namespace
}  // namespace host::rest
