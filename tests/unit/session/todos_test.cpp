#include "session/todos.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace host::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<Todos> replace(const Todos& before, std::string_view given, TodoLimits limits = {}) {
  const auto tree = json::parse(given);
  EXPECT_TRUE(tree) << given;
  return replaced(before, tree->root(), limits);
}

TEST(Todos, AFreshIdIsNeverOneThatIsGiven) {
  const auto todos = replace({}, R"([{"content":"a"},{"content":"b","id":"1"},{"content":"c"}])");
  ASSERT_TRUE(todos) << todos.error().message;
  EXPECT_EQ(todos->at(0).id, "2");
  EXPECT_EQ(todos->at(1).id, "1");
  EXPECT_EQ(todos->at(2).id, "3");
}

TEST(Todos, OfTwoWithTheSameContentOneKeepsTheId) {
  const Todos before = replace({}, R"([{"content":"a"},{"content":"b"}])").value();
  const auto todos = replace(before, R"([{"content":"b"},{"content":"b"}])");
  ASSERT_TRUE(todos);
  EXPECT_EQ(todos->at(0).id, "2");
  EXPECT_EQ(todos->at(1).id, "3");
}

TEST(Todos, TheLimitsAreNamedAndCounted) {
  std::vector<std::string> refused;
  const TodoLimits limits{2, 10,
                          [&refused](std::string_view limit) { refused.emplace_back(limit); }};
  const auto many = replace({}, R"([{"content":"a"},{"content":"b"},{"content":"c"}])", limits);
  ASSERT_FALSE(many);
  EXPECT_THAT(many.error().message, HasSubstr("todos has 3 entries, more than the 2 allowed"));
  const auto large = replace({}, R"([{"content":"0123456789"}])", limits);
  ASSERT_FALSE(large);
  EXPECT_THAT(large.error().message, HasSubstr("limits.todo_bytes"));
  EXPECT_THAT(refused, ElementsAre("limits.todos", "limits.todo_bytes"));
}

TEST(Todos, WhatIsStoredIsReadAgain) {
  const Todos todos =
      replace({},
              R"([{"content":"a \"b\"","status":"in_progress","priority":"low"},{"content":"ü"}])")
          .value();
  EXPECT_EQ(todos_in(text_of(todos)), todos);
  EXPECT_THAT(todos_in("no json"), IsEmpty());
  EXPECT_THAT(todos_in(R"([7,{"content":"a","status":"later"}])"), IsEmpty());
}

}  // namespace
}  // namespace host::session
