#include "mcp/http/event_log.h"

#include <gtest/gtest.h>

namespace host::mcp {
namespace {

std::string texts(const std::optional<EventLog::Missed>& missed) {
  if (!missed) return "(nothing)";
  std::string out;
  for (const EventLog::Event& event : missed->events) out += event.text + " ";
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
  EXPECT_EQ(log.after(first)->stream, one);
  EXPECT_EQ(texts(log.after(other)), "");
  EXPECT_EQ(texts(log.after(last)), "");
}

TEST(EventLog, KnowsNoForeignOrForgottenEvent) {
  const auto budget = std::make_shared<EventBudget>();
  EventLog here(3, budget);
  EventLog there(3, budget);
  const std::string first = here.add(0, "a");
  EXPECT_EQ(texts(there.after(first)), "(nothing)");
  for (const char* id : {"", "1", "x.1"}) EXPECT_EQ(texts(here.after(id)), "(nothing)") << id;
  for (const char* text : {"b", "c", "d"}) here.add(0, text);
  EXPECT_EQ(texts(here.after(first)), "(nothing)");
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
    const std::string lost = small.add(0, "1");  // the others hold it all
    EXPECT_EQ(texts(small.after(lost)), "(nothing)");
    EXPECT_EQ(texts(large.after(first)), "12345 ");
  }
  large.add(0, "123456");
  EXPECT_EQ(budget->used, 6u);
}

}  // namespace
}  // namespace host::mcp
