#include "mcp/http/event_log.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "support/cpu_time.h"

namespace host::mcp {
namespace {

std::string texts(const EventLog::Missed& missed) {
  std::string out = missed.whole ? "" : "... ";
  for (const EventLog::Event& event : missed.events) out += event.text + " ";
  return out;
}

TEST(EventLog, GivesWhatCameAfterAnEventOnItsOwnStream) {
  EventLog log(100, std::make_shared<EventBudget>());
  const auto one = log.open();
  const auto two = log.open();
  const std::string first = log.add(one, "a");
  const std::string other = log.add(two, "x");
  log.add(one, "b");
  const std::string last = log.add(one, "c");
  EXPECT_EQ(texts(log.after(first)), "b c ");
  EXPECT_EQ(log.after(first).stream, one);
  EXPECT_EQ(texts(log.after(other)), "");
  EXPECT_EQ(texts(log.after(last)), "");
}

TEST(EventLog, GivesWhatIsKeptAfterAForgottenEvent) {
  EventLog log(3, std::make_shared<EventBudget>());
  const auto answer = log.open();
  const std::string first = log.add(0, "a");
  const std::string other = log.add(answer, "x");
  for (const char* text : {"b", "c"}) log.add(0, text);
  EXPECT_EQ(texts(log.after(first)), "... b c ");
  log.add(answer, "y");
  EXPECT_EQ(texts(log.after(other)), "... y ");
  EXPECT_EQ(log.after(other).stream, answer);
}

TEST(EventLog, TakesTheStreamOfAForeignEventOnlyWhereItIsTheSessionsOwn) {
  const auto budget = std::make_shared<EventBudget>();
  EventLog here(3, budget);
  EventLog before(3, budget);
  here.add(0, "a");
  here.add(here.open(), "x");
  EXPECT_EQ(texts(here.after(before.add(0, "old"))), "... a ");
  EXPECT_EQ(here.after(before.add(before.open(), "old")).stream, EventLog::kNoStream);
  EXPECT_EQ(texts(here.after(before.add(1, "old"))), "... ");
}

TEST(EventLog, TakesNonsenseForAnEventOfTheSessionsOwnStream) {
  EventLog log(3, std::make_shared<EventBudget>());
  log.add(0, "a");
  for (const char* id : {"", "1", "x.1", ".", "..", "a.b.c", "a.99999999999999999999.1"}) {
    EXPECT_EQ(log.after(id).stream, 0u) << id;
    EXPECT_EQ(texts(log.after(id)), "... a ") << id;
  }
}

TEST(EventLog, SharesItsBudgetAndGivesItBack) {
  const auto budget = std::make_shared<EventBudget>();
  budget->most = 10;
  EventLog large(100, budget);
  const std::string first = large.add(0, "12345");
  large.add(0, "12345");
  EXPECT_EQ(budget->used, 10u);
  {
    EventLog small(100, budget);
    const std::string kept = small.add(0, "1");
    EXPECT_EQ(texts(small.after(kept)), "") << "the largest log makes room";
    EXPECT_EQ(texts(large.after(first)), "... 12345 ");
    EXPECT_EQ(budget->used, 6u);
  }
  EXPECT_EQ(budget->used, 5u);
  large.add(0, "123456");
  EXPECT_EQ(budget->used, 6u);
}

// An idle session that has filled the budget takes no answer from the others.
TEST(EventLog, KeepsTheAnswerOfASessionBesideAFullOne) {
  const auto budget = std::make_shared<EventBudget>();
  EventLog idle(256, budget);
  for (int i = 0; i < 16; ++i) idle.add(0, std::string(1u << 20u, 'x'));
  EventLog other(256, budget);
  const std::string primed = other.add(other.open(), "");
  other.add(other.after(primed).stream, "the answer");
  EXPECT_EQ(texts(other.after(primed)), "the answer ");
  EXPECT_LE(budget->used, budget->most);
}

// 250,000 events of 1,000 logs go for one: a pass over the logs for each would take much longer.
TEST(EventLog, MakesRoomAmongManyLogsQuickly) {
  const auto budget = std::make_shared<EventBudget>();
  std::vector<std::unique_ptr<EventLog>> logs;
  for (int i = 0; i < 1'000; ++i) logs.push_back(std::make_unique<EventLog>(256, budget));
  for (int i = 0; i < 250; ++i) {
    for (const auto& log : logs) log->add(0, std::string(64, 'x'));
  }
  EventLog last(256, budget);
  const test::CpuTime cpu;
  const std::string kept = last.add(0, std::string(budget->most - 64, 'x'));
  EXPECT_LT(cpu.taken(), std::chrono::seconds(8));  // for a slow machine and an instrumented build
  EXPECT_TRUE(last.after(kept).whole);
  EXPECT_LE(budget->used, budget->most);
}

TEST(EventLog, LosesItsOwnEventsWhereItIsTheLargest) {
  const auto budget = std::make_shared<EventBudget>();
  budget->most = 10;
  EventLog small(100, budget);
  const std::string first = small.add(0, "1");
  EventLog large(100, budget);
  for (int i = 0; i < 20; ++i) large.add(0, "1234");
  EXPECT_TRUE(small.after(first).whole);
  const std::string newest = large.add(0, "123456789");
  EXPECT_TRUE(small.after(first).whole);
  EXPECT_TRUE(large.after(newest).whole);
  const std::string too_large = large.add(0, "12345678901");
  EXPECT_TRUE(small.after(first).whole);
  EXPECT_FALSE(large.after(too_large).whole);
  EXPECT_FALSE(large.after(newest).whole);
  EXPECT_EQ(budget->used, 1u);
}

}  // namespace
}  // namespace host::mcp
