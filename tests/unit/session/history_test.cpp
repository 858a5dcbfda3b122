#include "session/history.h"

#include <gmock/gmock.h>

namespace host::session {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PastCall call(std::string tool, std::string result = "{}", std::string principal = "anna") {
  PastCall made;
  made.principal = std::move(principal);
  made.tool = std::move(tool);
  made.arguments = "{}";
  made.result = std::move(result);
  return made;
}

std::vector<std::string> tools(const History::Page& page) {
  std::vector<std::string> names;
  for (const PastCall* one : page.calls) names.push_back(one->tool);
  return names;
}

TEST(History, ListsTheCallsOfASessionFromTheNewestOnInPages) {
  History history({});
  for (const char* name : {"a", "b", "c"}) history.add("s1", call(name));
  history.add("s2", call("d"));
  const History::Page first = history.list("s1", "anna", 0, 2);
  EXPECT_THAT(tools(first), ElementsAre("c", "b"));
  EXPECT_TRUE(first.more);
  const History::Page rest = history.list("s1", "anna", first.calls.back()->number, 2);
  EXPECT_THAT(tools(rest), ElementsAre("a"));
  EXPECT_FALSE(rest.more);
}

TEST(History, OtherPrincipalsAndSessionsAreNotSeen) {
  History history({});
  history.add("s1", call("a"));
  history.add("s1", call("b", "{}", "bob"));
  EXPECT_THAT(tools(history.list("s1", "bob", 0, 9)), ElementsAre("b"));
  EXPECT_THAT(tools(history.list("s1", "carl", 0, 9)), IsEmpty());
  EXPECT_THAT(tools(history.list("", "anna", 0, 9)), IsEmpty());
}

TEST(History, TheOldestCallsMakeRoom) {
  History::Limits limits;
  limits.calls = 2;
  History history(limits);
  for (const char* name : {"a", "b", "c"}) history.add("s1", call(name));
  EXPECT_THAT(tools(history.list("s1", "anna", 0, 9)), ElementsAre("c", "b"));
}

TEST(History, ASessionAndAllSessionsAreLimitedInBytes) {
  History::Limits limits;
  limits.bytes = 3000;
  limits.all_bytes = 4500;
  History history(limits);
  const std::string kilobyte(1000, 'x');
  for (const char* name : {"a", "b", "c"}) history.add("s1", call(name, kilobyte));
  EXPECT_THAT(tools(history.list("s1", "anna", 0, 9)), ElementsAre("c", "b"));
  for (const char* name : {"d", "e"}) history.add("s2", call(name, kilobyte));
  EXPECT_THAT(tools(history.list("s1", "anna", 0, 9)), ElementsAre("c"));
  EXPECT_THAT(tools(history.list("s2", "anna", 0, 9)), ElementsAre("e", "d"));
  EXPECT_LE(history.bytes(), 4500u);
}

TEST(History, APrincipalWithManyCallsCostsNoOtherItsCalls) {
  History::Limits limits;
  limits.all_bytes = 4500;
  History history(limits);
  history.add("b1", call("kept", std::string(500, 'x'), "bob"));
  for (int i = 0; i < 50; ++i)
    history.add("a" + std::to_string(i), call("a", std::string(1000, 'x')));
  EXPECT_THAT(tools(history.list("b1", "bob", 0, 9)), ElementsAre("kept"));
  EXPECT_THAT(tools(history.list("a49", "anna", 0, 9)), ElementsAre("a"));
  EXPECT_THAT(tools(history.list("a0", "anna", 0, 9)), IsEmpty());
}

TEST(History, ALargeCallIsKeptWithoutItsTexts) {
  History::Limits limits;
  limits.call_bytes = 1000;
  History history(limits);
  history.add("s1", call("a", std::string(1000, 'x')));
  const History::Page page = history.list("s1", "anna", 0, 9);
  ASSERT_EQ(page.calls.size(), 1u);
  EXPECT_TRUE(page.calls[0]->left_out);
  EXPECT_EQ(page.calls[0]->result, "");
  EXPECT_EQ(page.calls[0]->arguments, "");
}

TEST(History, AnEndedSessionIsForgotten) {
  History history({});
  history.add("s1", call("a"));
  history.add("s2", call("b"));
  history.forget("s1");
  history.forget("s3");
  EXPECT_THAT(tools(history.list("s1", "anna", 0, 9)), IsEmpty());
  EXPECT_THAT(tools(history.list("s2", "anna", 0, 9)), ElementsAre("b"));
  history.forget("s2");
  EXPECT_EQ(history.bytes(), 0u);
}

TEST(History, WithoutCallsNothingIsKept) {
  History::Limits limits;
  limits.calls = 0;
  History history(limits);
  history.add("s1", call("a"));
  EXPECT_EQ(history.bytes(), 0u);
}

}  // namespace
}  // namespace host::session
